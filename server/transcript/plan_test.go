package transcript

import (
	"regexp"
	"testing"

	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/journal"
	"elowen/shared/api"
)

// What is run for each question and turn uses an index from the account, or from the
// conversation, on, however many there are.
func TestQueryPlans(t *testing.T) {
	h := newHouse(t, dbtest.Open(t, nil))
	for range 3 {
		h.add(h.bob, lines(300)...)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	e := &sense{name: "m"}
	h.use(e)
	list := dbtest.Plans(t, h.d, func() {
		h.queue.Pass(ctx) // from here on the log is followed
		first := h.add(h.ann, lines(40)...)
		h.add(h.ann, lines(10)...)
		h.queue.Pass(ctx)
		for range 12 {
			h.queue.Pass(ctx)
		}
		h.search(h.ann, api.TranscriptSearch{Query: "number 7 of many"})
		h.search(h.ann, api.TranscriptSearch{Query: "number 7 of many", ConversationID: first})
		_, err := h.s.Get(ctx, h.ann, first)
		must(err)
		_, err = h.s.List(ctx, h.ann, "", 10)
		must(err)
		_, err = h.s.Reindex(ctx, h.ann)
		must(err)
		must(h.d.Update(ctx, func(tx *db.Tx) error {
			c, err := journal.Get(tx, h.ann, first)
			must(err)
			more, err := journal.Append(tx, h.ann, first, c.Leaf, journal.Draft{Payload: &journal.Message{Role: journal.RoleUser, Content: "more"}})
			must(err)
			fork, err := journal.Fork(tx, h.ann, first, more[0].ID, "")
			must(err)
			must(journal.Go(tx, h.ann, first, c.Leaf))
			_, err = journal.Delete(tx, h.ann, fork.ID)
			return err
		}))
		must(h.s.Delete(ctx, h.ann, first))
		h.queue.Pass(ctx)
	})
	var own []dbtest.Planned
	mine := regexp.MustCompile(`turn_|pair_|transcript|conversation|journal_entry`)
	for _, p := range list {
		if mine.MatchString(p.Query) {
			own = append(own, p)
		}
	}
	// The few rows of vectors that are new are put into the order of their turns.
	dbtest.Indexed(t, own, regexp.MustCompile(`stamp > \?`))
	for query, step := range map[string]string{
		"FROM journal_entry WHERE parent_id IN":                                   "journal_entry_parent",
		"FROM journal_entry WHERE conversation_id = ? AND id <= ?":                "conversation_id=?",
		"FROM journal_entry WHERE id IN":                                          "id=?",
		"FROM journal_entry WHERE conversation_id IN":                             "conversation_id=?",
		"FROM transcript WHERE owner_id = ? AND conversation_id < ?":              "PRIMARY KEY",
		"FROM turn_embedding WHERE owner_id = ? AND space_id = ? AND entry_id IN": "PRIMARY KEY",
		"FROM turn_vector WHERE owner_id = ? AND space_id = ? AND entry_id >= ?":  "entry_id>?",
		"DELETE FROM journal_entry WHERE conversation_id = ?":                     "conversation_id=?",
		"FROM journal_entry WHERE owner_id = ? AND id < ? AND type = ?":           "journal_entry_owner",
		"FROM turn_late_label l JOIN turn_late_vector v":                          "PRIMARY KEY",
		"FROM turn_embedding WHERE owner_id = ? AND space_id = ? AND stamp > ?":   "turn_embedding_stamp",
	} {
		dbtest.Uses(t, own, query, step)
	}
}
