package state

import (
	"strings"
	"testing"
	"unicode/utf8"

	"elowen/shared/api"

	"pgregory.net/rapid"
)

func TestMatchOrdersAsOneExpects(t *testing.T) {
	names := []string{"Trash", "Move to the trash", "Sort by importance", "New memory", "Settings"}
	for typed, want := range map[string]string{"tra": "Trash", "to the": "Move to the trash", "nm": "New memory", "sim": "Sort by importance", "SETT": "Settings"} {
		best, score := "", 0
		for _, n := range names {
			if s := Match(typed, n); s > score {
				best, score = n, s
			}
		}
		if best != want {
			t.Errorf("%q finds %q, want %q", typed, best, want)
		}
	}
	for _, c := range [][2]string{{"xyz", "Trash"}, {"hsart", "Trash"}, {"trashes", "Trash"}, {"migr", "Memories in no category"}} {
		if s := Match(c[0], c[1]); s != 0 {
			t.Errorf("%q answers to %q with %d", c[1], c[0], s)
		}
	}
	if Match("  ", "Trash") == 0 {
		t.Error("nothing typed matches all")
	}
}

func said(runs []api.Run) string {
	var b strings.Builder
	for _, r := range runs {
		if r.Op == "mark" {
			b.WriteString("[" + r.Text + "]")
		} else {
			b.WriteString(r.Text)
		}
	}
	return b.String()
}

func TestHits(t *testing.T) {
	for _, c := range []struct{ body, typed, want string }{
		{"Migrations lock orders.", "migr", "[Migr]ations lock orders."},
		{"The outage of 18 March: a schema migration locked it", "migr lock", "…of 18 March: a schema [migr]ation [lock]ed it"},
		{"unlock the door", "lock", "unlock the door"},
		{"大阪の会議", "会議", "大阪の[会議]"},
		{"two\n\nlines", "lines", "two [lines]"},
		{"no such", "", "no such"},
	} {
		if got := said(Hits(c.body, c.typed, 80)); got != c.want {
			t.Errorf("%q in %q: %q, want %q", c.typed, c.body, got, c.want)
		}
	}
}

func TestHitsAreTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := rapid.StringOfN(rapid.RuneFrom([]rune("aAbİßé 大.\n")), 0, 120, -1).Draw(t, "body")
		typed := rapid.StringOfN(rapid.RuneFrom([]rune("aAbİßé 大")), 0, 6, -1).Draw(t, "typed")
		runs := Hits(body, typed, rapid.IntRange(1, 90).Draw(t, "most"))
		all := ""
		for _, r := range runs {
			if !utf8.ValidString(r.Text) {
				t.Fatalf("cut a character: %q", r.Text)
			}
			all += r.Text
		}
		if all = strings.TrimPrefix(all, "…"); !strings.Contains(strings.Join(strings.Fields(body), " "), all) {
			t.Fatalf("%q is not in %q", all, body)
		}
	})
}
