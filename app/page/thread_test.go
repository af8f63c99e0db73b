package page

import (
	"testing"

	"elowen/shared/api"
	"elowen/shared/live"

	"pgregory.net/rapid"
)

// tree is a conversation whose branch grows, and is left for others.
type tree struct{ parent []int64 } // by id − 1

func (x *tree) add(parent int64) int64 {
	x.parent = append(x.parent, parent)
	return int64(len(x.parent))
}

// branch is the way to a leaf.
func (x *tree) branch(leaf int64) (rows []live.TalkRow) {
	for id := leaf; id > 0; id = x.parent[id-1] {
		e := &api.ConversationEntry{ID: id, ParentID: x.parent[id-1]}
		rows = append([]live.TalkRow{{ID: id, Entry: e}}, rows...)
	}
	return rows
}

// Whatever is said, however fast, and whichever branch is gone to: what is shown is the
// end of the branch, without a hole and without an entry of another one.
func TestAThreadIsTheEndOfItsBranch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := &tree{}
		const most = 5
		leaf := int64(0)
		var older, window []live.TalkRow
		var pending []live.TalkRow // a page that was read, and not taken yet
		see := func() {
			branch := x.branch(leaf)
			next := append([]live.TalkRow{{Conversation: &api.Conversation{}}}, branch[max(0, len(branch)-most):]...)
			older, window = olderOf(older, window, next), next
		}
		see()
		t.Repeat(map[string]func(*rapid.T){
			"say": func(t *rapid.T) {
				for range rapid.IntRange(1, 8).Draw(t, "entries") {
					leaf = x.add(leaf)
				}
				see()
			},
			"branch": func(t *rapid.T) {
				leaf = rapid.Int64Range(0, int64(len(x.parent))).Draw(t, "leaf")
				see()
			},
			"read": func(t *rapid.T) {
				branch := x.branch(leaf)
				end := rapid.IntRange(0, len(branch)).Draw(t, "end")
				pending = branch[max(0, end-3):end]
			},
			"take": func(t *rapid.T) {
				var page []api.ConversationEntry
				for _, r := range pending {
					page = append(page, *r.Entry)
				}
				p := &Chat{older: older}
				p.talk.Rows = window
				if rows, fits := earlierOf(page, p.first()); fits && p.first() != nil {
					older = append(rows, older...)
				}
			},
			"": func(t *rapid.T) {
				shown := append(append([]live.TalkRow(nil), older...), entriesOf(window)...)
				branch := x.branch(leaf)
				if len(shown) < min(most, len(branch)) || len(shown) > len(branch) {
					t.Fatalf("%d shown of %d", len(shown), len(branch))
				}
				for i, r := range branch[len(branch)-len(shown):] {
					if shown[i].ID != r.ID {
						t.Fatalf("%d stands where %d belongs", shown[i].ID, r.ID)
					}
				}
			},
		})
	})
}

// Rows that slide out of the window stay, as nothing asks for them again.
func TestWhatLeavesTheWindowStays(t *testing.T) {
	x := &tree{}
	var leaf int64
	for range 8 {
		leaf = x.add(leaf)
	}
	branch := x.branch(leaf)
	if older := olderOf(nil, branch[0:5], branch[3:8]); len(older) != 3 || older[0].ID != 1 {
		t.Errorf("%+v", older)
	}
	if older := olderOf(branch[0:1], branch[1:3], branch[5:8]); older != nil {
		t.Errorf("with a hole: %+v", older)
	}
}

// What is before the window learns from it what has left the model's context, and what
// was given out before stays as it was.
func TestOlderEntriesLeaveTheContext(t *testing.T) {
	row := func(id int64, change func(*api.ConversationEntry)) live.TalkRow {
		e := &api.ConversationEntry{ID: id, ParentID: id - 1, InContext: true}
		change(e)
		return live.TalkRow{ID: id, Entry: e}
	}
	as := func(*api.ConversationEntry) {}
	was := []live.TalkRow{row(1, as), row(2, as), row(3, as)}
	for name, c := range map[string]struct {
		now  live.TalkRow
		want [3]bool
	}{
		"nothing":   {row(4, as), [3]bool{true, true, true}},
		"a summary": {row(4, func(e *api.ConversationEntry) { e.FirstKeptID = 3 }), [3]bool{false, false, true}},
		"cleared":   {row(4, func(e *api.ConversationEntry) { e.ClearedIDs = []int64{2} }), [3]bool{true, false, true}},
	} {
		older := olderOf(nil, was, []live.TalkRow{{}, c.now})
		for i := range c.want {
			if older[i].Entry.InContext != c.want[i] || !was[i].Entry.InContext {
				t.Errorf("%s: %d: %t", name, i+1, older[i].Entry.InContext)
			}
		}
	}
}

// Ids of calls come again in another answer; each result stands with the call before it.
func TestResultsOfCalls(t *testing.T) {
	says := func(id int64, calls ...string) live.TalkRow {
		e := &api.ConversationEntry{ID: id, Role: api.MessageAssistant}
		for _, c := range calls {
			e.Calls = append(e.Calls, api.ToolCall{ID: c})
		}
		return live.TalkRow{ID: id, Entry: e}
	}
	result := func(id int64, call string) live.TalkRow {
		return live.TalkRow{ID: id, Entry: &api.ConversationEntry{ID: id, Role: api.MessageToolResult, CallID: call}}
	}
	asks := live.TalkRow{ID: 6, Entry: &api.ConversationEntry{ID: 6, Role: api.MessageUser}}
	for name, c := range map[string]struct {
		rows []live.TalkRow
		want map[int64][]int64 // results by answer; 0: none
		left []int64           // results that belong to no call
	}{
		"the same id again":      {[]live.TalkRow{says(1, "c", "d"), result(2, "d"), result(3, "c"), says(4, "c"), result(5, "c")}, map[int64][]int64{1: {3, 2}, 4: {5}}, nil},
		"the first not answered": {[]live.TalkRow{says(1, "c"), says(4, "c"), result(5, "c")}, map[int64][]int64{1: {0}, 4: {5}}, nil},
		"the last not answered":  {[]live.TalkRow{says(1, "c"), result(2, "c"), says(4, "c")}, map[int64][]int64{1: {2}, 4: {0}}, nil},
		"a person in between":    {[]live.TalkRow{says(1, "c"), asks, result(7, "c")}, map[int64][]int64{1: {7}}, nil},
		"the call isn't here":    {[]live.TalkRow{result(2, "c"), says(4, "c"), result(5, "c")}, map[int64][]int64{4: {5}}, []int64{2}},
		"told twice":             {[]live.TalkRow{says(1, "c"), result(2, "c"), result(3, "c")}, map[int64][]int64{1: {2}}, []int64{3}},
	} {
		t.Run(name, func(t *testing.T) {
			results, taken := answered(c.rows)
			for id, want := range c.want {
				got := make([]int64, len(results[id]))
				for i, e := range results[id] {
					if e != nil {
						got[i] = e.ID
					}
				}
				if len(got) != len(want) {
					t.Fatalf("%d: %v, not %v", id, got, want)
				}
				for i := range want {
					if got[i] != want[i] {
						t.Errorf("%d: %v, not %v", id, got, want)
					}
				}
			}
			for _, id := range c.left {
				if taken[id] {
					t.Errorf("%d is taken", id)
				}
			}
		})
	}
}
