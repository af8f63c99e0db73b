package memory

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
)

func side(runs []api.Run, without string) string {
	var b strings.Builder
	for _, r := range runs {
		if r.Op != without {
			b.WriteString(r.Text)
		}
	}
	return b.String()
}

func TestDiff(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"the red door", "the green door", "=the |-red|+green|= door"},
		{"same", "same", "=same"},
		{"", "new", "+new"},
		{"old", "", "-old"},
		{"one two three", "one three", "=one |-two |=three"},
		{"a b c d", "a x y d", "=a |-b c|+x y|= d"},
		{"会議は火曜日です", "会議は水曜日です", "=会議は|-火|+水|=曜日です"},
		{"port 7311", "port 7312.", "=port |-7311|+7312."},
		{"no walnuts: allergic. Mine edit.", "no walnuts or pecans: allergic.", "=no walnuts|+ or pecans|=: allergic|-. Mine edit|=."},
		{"See it, now", "See it now", "=See it|-,|= now"},
		{"one  two", "one two", "=one |- |=two"},
		{" a", "b a", "+b|= a"},
		{"👩🏽‍🚀 flies", "👨🏽‍🚀 flies", "-👩🏽‍🚀|+👨🏽‍🚀|= flies"},
	} {
		var got []string
		for _, r := range diff(c.before, c.after) {
			got = append(got, map[string]string{runEqual: "=", runInsert: "+", runDelete: "-"}[r.Op]+r.Text)
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%q → %q: %s", c.before, c.after, strings.Join(got, "|"))
		}
	}
	long := strings.Repeat("word ", 3000)
	other := strings.Repeat("term ", 3000)
	if runs := diff(long, other); len(runs) > 3 {
		t.Errorf("a rewritten text has %d runs", len(runs))
	}
}

func TestDiffKeepsBothTexts(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", " ", "  ", "\n", "word", "会", "é", "👍🏽", ".", "\u0301", "\ufffd", "1,5"}), 0, 40).Draw(t, "words"), "")
	})
	rapid.Check(t, func(t *rapid.T) {
		before, after := text.Draw(t, "before"), text.Draw(t, "after")
		runs := diff(before, after)
		if side(runs, runInsert) != before || side(runs, runDelete) != after {
			t.Fatalf("%q → %q gives %+v", before, after, runs)
		}
		for i, r := range runs {
			if r.Text == "" || i > 0 && runs[i-1].Op == r.Op {
				t.Fatalf("run %d of %+v", i, runs)
			}
		}
	})
}

// More words than there are runes up to the surrogates: each has its own.
func TestDiffManyWords(t *testing.T) {
	seen := map[rune]int{}
	for _, i := range []int{0, 1, surrogates - 2, surrogates - 1, surrogates, 100_000} {
		r := runeOf(i)
		if was, twice := seen[r]; twice || !utf8.ValidRune(r) {
			t.Errorf("%d becomes rune %x, as %d does", i, r, was)
		}
		seen[r] = i
	}
}

func TestEventsPages(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		m := f.add("x")
		for i := range 9 {
			f.patch(m.ID, api.MemoryPatch{Importance: api.Ptr(1 + i), Body: api.Ptr(fmt.Sprint("text ", i))})
		}
		f.add("another")
		seen := map[int64]bool{}
		cursor, last := "", int64(1<<62)
		for page := 0; ; page++ {
			p, err := f.Events(ctx, f.ann, m.ID, cursor, 4)
			if err != nil || p.Total != 10 {
				t.Fatalf("page %d: %+v %v", page, p, err)
			}
			for _, e := range p.Items {
				if seen[e.ID] || e.ID >= last || e.MemoryID != m.ID {
					t.Errorf("event %d after %d", e.ID, last)
				}
				seen[e.ID], last = true, e.ID
			}
			if cursor = p.NextCursor; cursor == "" {
				break
			}
		}
		if len(seen) != 10 {
			t.Errorf("%d events in pages", len(seen))
		}
		all, err := f.Events(ctx, f.ann, 0, "", 0)
		if err != nil || all.Total != 11 || len(all.Items) != 11 || all.Items[0].Action != "add" {
			t.Errorf("of all memories: %+v %v", all, err)
		}
		for _, bad := range []string{"!", "AA", "LTU", strings.Repeat("z", 500), "MQ==", "MA"} {
			_, err := f.Events(ctx, f.ann, m.ID, bad, 4)
			refused(t, err, fault.Invalid)
		}
		_, err = f.Events(ctx, f.ann, 4242, "", 4)
		refused(t, err, fault.NotFound)
		_, err = f.Events(ctx, f.bob, m.ID, "", 4)
		refused(t, err, fault.NotFound)
		none, err := f.Events(ctx, f.bob, 0, "", 4)
		if err != nil || none.Total != 0 || none.Items == nil {
			t.Errorf("of an account without any: %+v %v", none, err)
		}
	})
}

// The audit holds no text of a body, and can't be changed.
func TestAuditHoldsHashes(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		m := f.add("saffron")
		f.patch(m.ID, api.MemoryPatch{Body: api.Ptr("cardamom")})
		f.update(func(tx *db.Tx) error {
			_, err := f.Insert(tx, f.ann, Actor{Name: ActorImport}, "", []Carried{{Body: "turmeric", Importance: 5, Events: []api.LineEvent{
				{Action: "update", At: 1, Before: `{"id":1,"body":"cumin","user_id":3}`, After: `{"id":1,"body":"turmeric","user_id":3}`, Foreign: true},
				{Action: "odd", At: 2, Before: `not JSON but "body": "nutmeg"`},
				{Action: "twice", At: 3, Before: `{"body":"fennel","body":"` + hashOf("x") + `"}`, After: `{"\u0062ody":"sumac"}`},
				{Action: "deep", At: 4, Before: `{"rows":[{"body":"clove"}]}`, After: `{"body":"basil"} {}`},
			}}})
			return err
		})
		var all string
		f.view(func(tx *db.Tx) error {
			list, err := readEvents(tx, `owner_id = ?`, int64(f.ann))
			for _, e := range list {
				all += e.before + e.after + e.reason
			}
			return err
		})
		for _, word := range []string{"saffron", "cardamom", "turmeric", "cumin", "nutmeg", "fennel", "sumac", "clove", "basil"} {
			if strings.Contains(all, word) {
				t.Errorf("the audit holds %q: %s", word, all)
			}
		}
		for _, q := range []string{`UPDATE memory_event SET reason = 'x' WHERE owner_id = ?`, `DELETE FROM memory_event WHERE owner_id = ?`} {
			err := f.d.Update(ctx, func(tx *db.Tx) error { _, err := tx.Exec(q, int64(f.ann)); return err })
			if err == nil {
				t.Errorf("the store lets %q happen", q)
			}
		}
	})
}

func TestDetail(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		m := f.add("The guest wifi password at the office is swordfish42")
		twin := f.add("The guest wifi password at the office is mackerel77")
		for i := range detailEvents {
			f.patch(m.ID, api.MemoryPatch{Importance: api.Ptr(1 + (i+5)%10)})
		}
		detail := func(id int64) (d api.MemoryDetail, err error) {
			err = f.d.View(ctx, func(tx *db.Tx) (err error) { d, err = f.Detail(tx, f.ann, id, 0); return err })
			return d, err
		}
		d, err := detail(m.ID)
		if err != nil || d.Memory.ID != m.ID || len(d.Events) != detailEvents || !d.More || len(d.Similar) != 1 || d.Similar[0].ID != twin.ID ||
			d.History.Points[len(d.History.Points)-1].Vitality != d.Memory.Vitality {
			t.Errorf("%+v %v", d, err)
		}
		_, err = detail(4242)
		refused(t, err, fault.NotFound)
	})
}

// No number of a category is ever shown: it says nothing to people.
func TestCategoriesInHistoryHaveNames(t *testing.T) {
	names := map[int64]string{7: "Work"}
	for id, want := range map[string]string{"7": "Work", "8": deletedCategory, "": "", "Boats": "Boats", "category 8": deletedCategory, "category of one": "category of one"} {
		if got := categoryName(id, names); got != want {
			t.Errorf("%q is called %q", id, got)
		}
	}
}
