package fault

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestKindsRoundTrip(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range Kinds() {
		if k.Code() == "" || k.Title() == "" || k.Status() < 400 || k.Status() > 599 {
			t.Errorf("kind %d is incomplete: %q %q %d", k, k.Code(), k.Title(), k.Status())
		}
		if seen[k.Code()] {
			t.Errorf("code %q twice", k.Code())
		}
		seen[k.Code()] = true
		if got := KindOfCode(k.Code()); got != k {
			t.Errorf("KindOfCode(%q) = %v", k.Code(), got)
		}
		if got := KindOf(ProblemOf(New(k, "x")).Err()); got != k {
			t.Errorf("through a problem %v became %v", k, got)
		}
	}
}

func TestProblemHidesTheCause(t *testing.T) {
	secret := errors.New("disk /private/path is full")
	for _, err := range []error{secret, Wrap(Internal, secret, "writing "+secret.Error()), Wrap(Unavailable, secret, "Busy"), fmt.Errorf("deep: %w", Wrap(NotFound, secret, "No such memory"))} {
		p := ProblemOf(err)
		if strings.Contains(p.Detail+p.Title, "private") {
			t.Errorf("%v leaks its cause: %+v", err, p)
		}
		if p.Status != KindOf(err).Status() {
			t.Errorf("%v: status %d", err, p.Status)
		}
	}
	if !errors.Is(Wrap(Internal, secret, ""), secret) {
		t.Error("the cause is lost")
	}
}

// Another try is offered where it may help: as the error says, else as its kind does.
func TestRetryAfter(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int64
	}{
		{New(Unavailable, "busy"), retrySoon},
		{fmt.Errorf("deep: %w", New(TooMany, "")), retrySoon},
		{&Error{Kind: TooMany, RetryAfterMillis: 90_000}, 90_000},
		{&Error{Kind: Unavailable, RetryAfterMillis: 1}, 1},
		{New(Corrupt, "broken"), 0},
		{New(Invalid, "no"), 0},
		{errors.New("no kind"), 0},
		{nil, 0},
	} {
		if got := RetryAfter(c.err); got != c.want {
			t.Errorf("%v: %d, not %d", c.err, got, c.want)
		}
	}
}

// Whoever runs the program sees the causes of its own defects, and of nothing that
// others send.
func TestOurs(t *testing.T) {
	for _, k := range Kinds() {
		if want := k == Internal || k == Corrupt; k.Ours() != want {
			t.Errorf("%v: %v", k, k.Ours())
		}
	}
	if _, ok := As(errors.New("no kind")); ok {
		t.Error("an error without a kind has one")
	}
	if e, ok := As(fmt.Errorf("deep: %w", New(Gone, "over"))); !ok || e.Kind != Gone {
		t.Errorf("%+v %v", e, ok)
	}
}

// What panics is an error of ours, whose stack is for logs alone.
func TestGuarded(t *testing.T) {
	if err := Guarded(func() {}); err != nil {
		t.Error(err)
	}
	err := Guarded(func() { panic("of the key 4711") })
	if !Is(err, Internal) || !strings.Contains(err.Error(), "4711") || !strings.Contains(err.Error(), "fault_test.go") {
		t.Errorf("%v", err)
	}
	if p := ProblemOf(err); strings.Contains(p.Detail+p.Title, "4711") {
		t.Errorf("told: %+v", p)
	}
}
