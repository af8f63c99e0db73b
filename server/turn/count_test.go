package turn

import (
	"strings"
	"testing"

	"elowen/server/db"
	"elowen/server/servertest/scripted"
	"elowen/shared/api"
)

// A failure to count is logged and takes nothing out of the context; a failure to attach
// counts nothing, and ends the turn.
func TestCountingFails(t *testing.T) {
	h := newHouse(t)
	h.remember("The ferry leaves at noon.")
	other := h.remember("The bakery opens at six.")
	breaks := func(when string) {
		h.update(func(tx *db.Tx) error {
			_, err := tx.Exec(`CREATE TRIGGER broken BEFORE ` + when + ` BEGIN SELECT RAISE(ABORT, 'broken'); END`)
			return err
		})
	}
	mend := func() {
		h.update(func(tx *db.Tx) error { _, err := tx.Exec(`DROP TRIGGER broken`); return err })
	}
	breaks(`INSERT ON usage_event`)
	h.endpoint.Next(scripted.Says(scripted.Calls("c1", "MemorySearch", `{"query":"bakery"}`)))
	h.turn("When does the ferry leave?")
	h.want("the branch", h.branch(), "u [start 1] a t(2) a")
	if h.uses(1) != 0 || h.uses(other) != 0 || strings.Count(h.log.String(), "could not be counted") != 2 {
		t.Errorf("%d %d uses\n%s", h.uses(1), h.uses(other), h.log)
	}
	mend()
	h.edit(1, "The ferry leaves at one.")
	breaks(`INSERT ON journal_entry WHEN NEW.type = 'turn_context'`)
	h.say("And the ferry now?")
	h.rest(api.ChatFailed)
	h.want("the branch", h.branch(), "u [start 1] a t(2) a u")
	if h.uses(1) != 0 {
		t.Errorf("%d uses of what nobody saw", h.uses(1))
	}
	mend()
	if _, err := h.Retry(ctx, h.ann, h.id); err != nil {
		t.Fatal(err)
	}
	h.rest(api.ChatIdle)
	if h.uses(1) != 1 {
		t.Errorf("%d uses", h.uses(1))
	}
}
