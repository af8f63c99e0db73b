package text

import (
	"strings"
	"testing"

	"elowen/shared/api"
)

func TestNumber(t *testing.T) {
	for n, want := range map[int]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 1284: "1,284", 100_000: "100,000", 1_234_567: "1,234,567", -1234: "−1,234"} {
		if got := Number(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

func TestAgo(t *testing.T) {
	now := api.Time(2_000_000_000_000)
	cases := []struct {
		before int64
		want   string
	}{
		{-5_000, "now"}, {0, "now"}, {59_999, "now"}, {60_000, "1 min ago"}, {hour - 1, "59 min ago"}, {hour, "1 h ago"}, {day - 1, "23 h ago"},
		{day, "yesterday"}, {2*day - 1, "yesterday"}, {2 * day, "2 d ago"}, {33 * day, "33 d ago"}, {59 * day, "59 d ago"},
		{122 * day, "4 mo ago"}, {364 * day, "11 mo ago"}, {365 * day, "1 y ago"}, {900 * day, "2 y ago"},
	}
	for _, c := range cases {
		if got := Ago(now, now-api.Time(c.before)); got != c.want {
			t.Errorf("%d ms: %s, want %s", c.before, got, c.want)
		}
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"short", "short"},
		{"one two three four", "one two…"},
		{"  one\n two  ", "one two"},
		{"大阪チームとの会議は日本時間の", "大阪チームとの会議は…"},
	} {
		if got := Clip(c.in, 10); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

func TestWhyTrash(t *testing.T) {
	for _, c := range []struct{ by, who, why, want string }{
		{api.DeletedBySweep, "Daily sweep", "vitality 8.2 < 10", "It faded: nobody used it, and the daily sweep took it (vitality 8.2 < 10)."},
		{api.DeletedByYou, "You", "no longer true", "You moved it there: “no longer true”."},
		{api.DeletedByAgent, "Your assistant", "", "Your assistant moved it there."},
		{api.DeletedByMerge, "You", "merged into 7", "It was made one with others; the history below leads to what they became."},
		{api.DeletedByMerge, "You", api.WhyMergeTakenBack, "It was made of others by a merge that was taken back; they are there again."},
		{"", "", "old", "Reason: “old”."},
		{"", "", "", ""},
	} {
		if got := WhyTrash(api.Memory{DeletedBy: c.by, DeletedWho: c.who, DeletedWhy: c.why}); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// The copy's own rules: no exclamation marks, no "oops", never "we".
func TestCopy(t *testing.T) {
	for _, s := range append([]string{NoAnswer, Broken, BrokenKept, PartFailed, RestoreNote, RetentionWhy, TokensWhy, FirstWhy, FirstHint, SetupWhy, NoMemoriesWhy, TrashEmptyWhy, MergeKeeps, NotText}, PurgeBody...) {
		for _, bad := range []string{"!", "oops", "Oops", " we ", "We "} {
			if strings.Contains(s, bad) {
				t.Errorf("%q has %q", s, bad)
			}
		}
	}
}

// A merge is told by how many memories it took, not by their ids.
func TestEventWhatMerge(t *testing.T) {
	for n, want := range map[int]string{0: "made it of others", 2: "made it of 2 memories", 1: "made it of 1 memory"} {
		e := api.Event{Action: "merge", Others: make([]api.Other, n)}
		if got := EventWhat(e); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
