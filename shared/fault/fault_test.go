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
