package model_test

import (
	"context"
	"fmt"
	"reflect"
	"testing"
	"time"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/embedding"
	"elowen/server/embedding/embeddingtest"
	"elowen/server/model"
	"elowen/server/servertest/scripted"
	"elowen/shared/api"
	"elowen/shared/fault"
)

func (h *house) used(owner db.AccountID, days int) []string {
	h.t.Helper()
	u, err := h.Usage(ctx, owner, days)
	if err != nil {
		h.t.Fatal(err)
	}
	out := []string{}
	for _, d := range u.Items {
		out = append(out, fmt.Sprint(d.Day, " ", d.Role, " ", d.Requests, " ", d.InputTokens, " ", d.OutputTokens, " ", d.CachedTokens))
	}
	return out
}

func dayOf(d *db.DB) string { return time.UnixMilli(d.Now()).UTC().Format(time.DateOnly) }

func TestUsageIsCountedByAccountRoleAndDay(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, clock *dbtest.Clock) {
		h := newHouse(t, d, false)
		p, err := account.New(d, account.Options{Hash: account.Cost{MemoryKiB: 64, Passes: 1, Threads: 1}}).Add(ctx, api.PersonAdd{Name: "ben"})
		if err != nil {
			t.Fatal(err)
		}
		ben := db.AccountID(p.ID)
		s, vectors := scripted.New(t), embeddingtest.NewServer(t, "e", 4)
		h.must(fmt.Sprintf(`{"providers":[{"id":"p","kind":"openai","baseUrl":%q},{"id":"v","kind":"openai","baseUrl":"%s/v1"}],"roles":{"chat":{"provider":"p","model":"m"},"utility":{"provider":"p","model":"u"},"embedding":{"provider":"v","model":"e"}}}`, s.OpenAI(), vectors.URL))
		wants := func(what string, owner db.AccountID, days int, want ...string) {
			t.Helper()
			if got := h.used(owner, days); !reflect.DeepEqual(got, append([]string{}, want...)) {
				t.Errorf("%s: %q, want %q", what, got, want)
			}
		}
		wants("nothing was asked", h.owner, 0)
		today := dayOf(d)
		s.Next(scripted.Says(scripted.Text("a"), scripted.Usage(100, 20, 60)), scripted.Says(scripted.Text("b"), scripted.Usage(5, 6, 0)))
		hear(h.chat(ctx, says("go")))
		hear(h.chat(ctx, says("go")))
		if _, err := h.Ask(ctx, ben, api.RoleUtility, says("go")); err != nil {
			t.Fatal(err)
		}
		wants("two answers", h.owner, 0, today+" chat 2 105 26 60")
		wants("another's", ben, 0, today+" utility 1 7 3 0")

		// What is refused was sent, each try; what broke off or was stopped as well.
		s.Next(scripted.Status(500, ""), scripted.Status(401, ""))
		hear(h.chat(ctx, says("go")))
		s.Next(scripted.Says(scripted.Text("a"), scripted.Gate(make(chan struct{}))))
		stop, cancel := context.WithCancel(ctx)
		defer cancel()
		for range h.chat(stop, says("go")) {
			cancel()
		}
		wants("failed ones", h.owner, 0, today+" chat 5 105 26 60")

		// Embedding is counted to whoever it is done for.
		if _, _, err := h.service.Query(embedding.For(ctx, ben), "what?"); err != nil {
			t.Fatal(err)
		}
		if _, _, err := h.service.Query(ctx, "nobody's"); err != nil {
			t.Fatal(err)
		}
		wants("a question", ben, 0, today+" embedding 1 1 0 0", today+" utility 1 7 3 0")

		// What nobody could be reached for left no request.
		s.Close()
		hear(h.chat(ctx, says("go")))
		wants("nobody there", h.owner, 0, today+" chat 5 105 26 60")

		clock.Advance(24 * 60 * 60 * 1000)
		if _, _, err := h.service.Query(embedding.For(ctx, ben), "again?"); err != nil {
			t.Fatal(err)
		}
		wants("the next day", ben, 0, dayOf(d)+" embedding 1 1 0 0", today+" embedding 1 1 0 0", today+" utility 1 7 3 0")
		wants("one day", ben, 1, dayOf(d)+" embedding 1 1 0 0")
		if u, err := h.Usage(ctx, ben, 30); err != nil || len(u.Roles) != 2 || u.Roles[1].Requests != 2 || u.To != dayOf(d) {
			t.Errorf("%+v %v", u, err)
		}
		for _, days := range []int{-1, 367} {
			if _, err := h.Usage(ctx, ben, days); !fault.Is(err, fault.Invalid) {
				t.Errorf("%d days: %v", days, err)
			}
		}
		if err := d.Update(ctx, func(tx *db.Tx) error { return model.EraseAccount(tx, ben) }); err != nil {
			t.Fatal(err)
		}
		wants("erased", ben, 0)

		// What an account that is gone used is in nobody's way.
		if _, _, err := h.service.Query(embedding.For(ctx, ben+1_000_000), "too late"); err != nil {
			t.Fatal(err)
		}
		if _, _, err := h.service.Query(embedding.For(ctx, h.owner), "in time"); err != nil {
			t.Fatal(err)
		}
		wants("beside one that is gone", h.owner, 1, dayOf(d)+" embedding 1 1 0 0")
	})
}

// The built-in model costs nothing.
func TestBuiltInEmbeddingIsNotCounted(t *testing.T) {
	h := newHouse(t, dbtest.Open(t, nil), true)
	if _, _, err := h.service.Query(embedding.For(ctx, h.owner), "what?"); err != nil {
		t.Fatal(err)
	}
	if got := h.used(h.owner, 0); len(got) != 0 {
		t.Errorf("%q", got)
	}
}
