// Package text holds every English sentence and word of the app, and the rules of
// writing numbers and the past, so that another language is one more package like
// it.
//
// What it doesn't do: dates with a zone are written by the browser (package
// browser); the server's own sentences (problems, reasons, settings) are shown as
// they come.
package text

import (
	"strconv"
	"strings"

	"elowen/shared/api"
	"elowen/shared/setting"
)

// Number writes a whole number with thousands apart: 1,284.
func Number(n int) string {
	s := strconv.Itoa(n)
	neg := strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(s, "-")
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if neg {
		return "−" + s
	}
	return s
}

// Count is a number of things: "1 memory", "1,284 memories".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Number(n) + " " + many
}

// Memories counts memories.
func Memories(n int) string { return Count(n, "memory", "memories") }

// Days counts days, with a fraction where there is one.
func Days(d float64) string {
	if d == 1 {
		return "1 day"
	}
	return setting.Format(d) + " days"
}

const (
	minute = 60_000
	hour   = 60 * minute
	day    = 24 * hour
)

// Ago is how long ago an instant is, for lists: "now", "5 min ago", "yesterday",
// "33 d ago", "4 mo ago".
func Ago(now, at api.Time) string {
	d := int64(now - at)
	switch {
	case d < minute:
		return "now"
	case d < hour:
		return strconv.FormatInt(d/minute, 10) + " min ago"
	case d < day:
		return strconv.FormatInt(d/hour, 10) + " h ago"
	case d < 2*day:
		return "yesterday"
	case d < 60*day:
		return strconv.FormatInt(d/day, 10) + " d ago"
	case d < 365*day:
		return strconv.FormatInt(d*12/(365*day), 10) + " mo ago"
	}
	return strconv.FormatInt(d/(365*day), 10) + " y ago"
}

// Word is the word of a level of importance.
func Word(importance int) string {
	for _, l := range setting.Levels() {
		if l.Importance == importance {
			return l.Word
		}
	}
	return ""
}

// Meaning is the sentence of a level of importance.
func Meaning(importance int) string {
	for _, l := range setting.Levels() {
		if l.Importance == importance {
			return l.Meaning
		}
	}
	return ""
}

// Join puts parts that aren't empty beside each other, with dots between.
func Join(parts ...string) string {
	kept := parts[:0:0]
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, " · ")
}

// Quote puts a reason into quotation marks.
func Quote(s string) string { return "“" + s + "”" }

// Clip shortens a text for a sentence, at a word where one is near.
func Clip(s string, runes int) string {
	s = strings.Join(strings.Fields(s), " ")
	n := 0
	for i := range s {
		if n == runes {
			cut := s[:i]
			if sp := strings.LastIndexByte(cut, ' '); sp > len(cut)/2 {
				cut = cut[:sp]
			}
			return cut + "…"
		}
		n++
	}
	return s
}
