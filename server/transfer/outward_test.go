package transfer_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/project"
	"elowen/server/transfer"
	"elowen/shared/api"
)

// mayRead are all memories that an account may read, its own and the pools', by body.
func (h *house) mayRead(who db.AccountID) map[string]api.Memory {
	h.t.Helper()
	out := map[string]api.Memory{}
	err := h.d.View(context.Background(), func(tx *db.Tx) error {
		pools, err := project.Pools(tx, who)
		if err != nil {
			return err
		}
		for _, home := range append([]project.Pool{{Owner: who}}, pools...) {
			var ids []int64
			for c, err := range h.in.Memories.Briefs(tx, home.Owner, nil) {
				if err != nil {
					return err
				}
				ids = append(ids, c.ID)
			}
			list, err := h.in.Memories.Rows(tx, who, ids)
			if err != nil {
				return err
			}
			for _, m := range list {
				out[m.Body] = m
			}
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

// telling is what somebody reads of a memory that says who did what, and to what.
func (h *house) telling(who db.AccountID, m api.Memory) string {
	h.t.Helper()
	page, err := h.in.Memories.Events(context.Background(), who, m.ID, "", 500)
	if err != nil {
		h.t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: by %s, deleted by %q %q\n", m.Body, m.Writer, m.DeletedBy, m.DeletedWho)
	for _, e := range page.Items {
		fmt.Fprintln(&b, e.Action, e.Who, e.Foreign, e.Scopes)
		for _, o := range e.Others {
			fmt.Fprintln(&b, "\tof", o.Body)
		}
	}
	return b.String()
}

// What the audit says by number is said of the same people and the same memories in a
// store where the numbers are others.
func TestTheAuditNamesTheSameElsewhere(t *testing.T) {
	clock := dbtest.NewClock(dbtest.Start)
	a, b := open(t, dbtest.Open(t, clock)), twin(t, clock)
	ctx := context.Background()
	ann, bob := a.person("ann"), a.person("bob")
	harbor := a.harbor()
	must := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	as := func(who db.AccountID) audit.Actor { return audit.Actor{Name: fmt.Sprint("user:", who)} }
	program := audit.Actor{Name: "token:1", Scopes: "read,write"}
	ours, theirs := a.add(ann, api.MemoryAdd{Body: "pool, by ann", ProjectID: harbor, Shared: true}), a.add(bob, api.MemoryAdd{Body: "pool, by bob", ProjectID: harbor, Shared: true})
	more := a.add(bob, api.MemoryAdd{Body: "pool, by bob too", ProjectID: harbor, Shared: true})
	must(a.in.Memories.Patch(ctx, bob, as(bob), ours.ID, 0, api.MemoryPatch{Importance: api.Ptr(9)}))
	must(a.in.Memories.Patch(ctx, ann, program, ours.ID, 0, api.MemoryPatch{Importance: api.Ptr(8)}))
	must(a.in.Memories.Trash(ctx, ann, as(ann), theirs.ID, 0, ""))
	must(a.in.Memories.Merge(ctx, ann, as(ann), api.MemoryMerge{IDs: []int64{ours.ID, more.ID}, Body: "pool, merged"}))
	gone, one, two := a.add(ann, api.MemoryAdd{Body: "gone"}), a.add(ann, api.MemoryAdd{Body: "one"}), a.add(ann, api.MemoryAdd{Body: "two"})
	a.add(ann, api.MemoryAdd{Body: "three"})
	must(a.in.Memories.Trash(ctx, ann, as(ann), gone.ID, 0, ""))
	must(a.in.Memories.Purge(ctx, ann, as(ann), []int64{gone.ID}))
	must(a.in.Memories.Patch(ctx, ann, program, one.ID, 0, api.MemoryPatch{Reviewed: api.Ptr(true)}))
	must(a.in.Memories.Merge(ctx, ann, as(ann), api.MemoryMerge{IDs: []int64{one.ID, two.ID}, Body: "one and two"}))

	zoe := b.person("zoe")
	b.person("yan")
	b.add(zoe, api.MemoryAdd{Body: "zoe's"})
	text := a.exported()
	if strings.Contains(text, "user:1") || strings.Contains(text, "token:1") || strings.Contains(text, `\"sources\":[1`) {
		t.Errorf("numbers travel: %s", text)
	}
	if r := b.importAll(text, transfer.Options{By: byImport.By, Projects: true}); r.Refused != 0 {
		t.Fatalf("%+v", r)
	}
	for _, who := range []string{"ann", "bob"} {
		was, is := a.mayRead(a.owner(who)), b.mayRead(b.owner(who))
		if len(was) != len(is) {
			t.Errorf("%s: %d memories became %d", who, len(was), len(is))
		}
		for body, m := range was {
			before, after := a.telling(a.owner(who), m), b.telling(b.owner(who), is[body])
			if strings.HasPrefix(body, "pool, by bob") || body == "one" || body == "two" || body == "pool, by ann" {
				before = withoutLinks(before) // what a source was merged into is known by the change, which doesn't travel
			}
			if before != after {
				t.Errorf("to %s\n%sbecame\n%s", who, before, after)
			}
		}
	}
}

func withoutLinks(text string) string {
	var out []string
	for _, line := range strings.SplitAfter(text, "\n") {
		if !strings.HasPrefix(line, "\t") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}

// Numbers that lines come with, of exports that had them or thought up, name nobody and
// nothing, neither in one's own memories nor among those who share.
func TestNumbersInLinesNameNobody(t *testing.T) {
	h := open(t, dbtest.Open(t, nil))
	ann, bob, hidden := h.person("ann"), h.person("bob"), h.person("hidden")
	h.harbor()
	first := h.add(bob, api.MemoryAdd{Body: "bob's first"})
	var lines []string
	for _, shared := range []bool{true, false} {
		for n, actor := range []string{fmt.Sprint("user:", hidden), fmt.Sprint("user:", ann), "user:hidden", "token:1", api.ActorSelf, "user", ""} {
			event := api.LineEvent{Action: audit.ActionMerge, Actor: actor, At: api.Time(dbtest.Start), After: fmt.Sprintf(`{"sources":[%d]}`, first.ID)}
			line := api.Line{Type: api.LineMemory, Body: fmt.Sprint("line ", n, shared), Status: api.StatusDeleted, DeletedBy: actor, DeletedHow: audit.ActionTrash, Events: []api.LineEvent{event}}
			if shared {
				line.Shared, line.Project = true, "harbor"
			}
			lines = append(lines, mustJSON(t, line))
		}
	}
	text := strings.Join(lines, "\n")
	for _, foreign := range []bool{true, false} {
		text := text
		if !foreign {
			text = strings.ReplaceAll(text, `"line `, `"at a terminal, line `)
		}
		r := h.importTo(bob, text, transfer.Options{By: audit.Actor{Name: fmt.Sprint("user:", bob)}, Foreign: foreign})
		if r.Refused != 0 {
			t.Fatalf("%+v", r)
		}
		for body, m := range h.mayRead(bob) {
			told := h.telling(bob, m)
			for _, no := range []string{"\tof ", "ann", "hidden"} {
				if strings.Contains(told, no) && (foreign || body != "at a terminal, line 2 true") { // who runs the instance may name people
					t.Errorf("foreign %v: %s", foreign, told)
				}
			}
		}
	}
}
