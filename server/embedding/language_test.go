package embedding_test

import (
	"slices"
	"strings"
	"testing"

	"elowen/server/embedding"
	"elowen/server/embedding/background"
)

// English is told from what isn't: hardly ever is a text in it taken for another, and
// seldom another for it.
func TestEnglishIsTold(t *testing.T) {
	all, wrong, english := 0, 0, 0
	for _, p := range background.Pairs() {
		for _, text := range []string{p.Passage, p.Question} {
			switch is := embedding.English(text); {
			case p.Lang == "en" && !is:
				t.Errorf("not English: %q", text)
			case p.Lang != "en":
				all++
				if is {
					wrong++
				}
			default:
				english++
			}
		}
	}
	if english < 300 || wrong*20 > all {
		t.Errorf("%d of %d are taken for English, of %d that are", wrong, all, english)
	}
	for text, want := range map[string]bool{
		"": false, "42": false, "ok": true, "Kde je?": true, "Where does the kestrel build its nest?": true, "Wo ist der Schlüssel zur Hütte?": false,
		"会议在星期四": false, strings.Repeat("The ferry leaves at noon. ", 4000): true, strings.Repeat("Färjan går klockan tolv och är sen. ", 4000): false,
	} {
		if embedding.English(text) != want {
			t.Errorf("%.40q: not %v", text, want)
		}
	}
}

func TestGroups(t *testing.T) {
	groups := embedding.Groups()
	right, all := 0, 0
	for _, p := range background.Passages() {
		g := embedding.Group(p.Text)
		if !slices.Contains(groups, g) {
			t.Errorf("%q is in %q", p.Text, g)
		}
		if embedding.Script(p.Text) == "Latn" {
			all++
			if g == p.Lang {
				right++
			}
		}
	}
	if right*10 < all*9 {
		t.Errorf("%d of %d are told", right, all)
	}
	if embedding.Group("12:30") != "" || embedding.Group("Где ключ?") != "Cyrl" {
		t.Error("scripts")
	}
}
