package foreign

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// stamp is an instant as other systems write it: RFC 3339 with and without a zone, as
// Python's isoformat and SQLite have it, or a number of seconds or milliseconds.
type stamp struct {
	ms    int64
	set   bool
	naive bool // it names no zone
}

var errTime = errors.New("no time")

// UnmarshalJSON reads any of the forms; null and an empty text are none.
func (s *stamp) UnmarshalJSON(raw []byte) error {
	*s = stamp{}
	if len(raw) > 0 && raw[0] == '"' {
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return err
		}
		if strings.TrimSpace(text) == "" {
			return nil
		}
		var ok bool
		if *s, ok = parseTime(text); !ok {
			return errTime
		}
		return nil
	}
	if string(raw) == "null" {
		return nil
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return errTime
	}
	ok := false
	if *s, ok = epoch(n); !ok {
		return errTime
	}
	return nil
}

// epoch reads a number: seconds, or milliseconds where seconds would be thousands of
// years away.
func epoch(n float64) (stamp, bool) {
	if n < 1e11 {
		n *= 1000
	}
	if math.IsNaN(n) || n <= 0 || n > 253402300799999 { // the year 9999
		return stamp{}, false
	}
	return stamp{ms: int64(math.Round(n)), set: true}, true
}

// zoned and naive are the forms of text. Go reads digits of a second wherever they come.
var (
	zoned = []string{"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 Z07:00", "2006-01-02 15:04:05 MST",
		"2006-01-02 15:04:05Z0700", "2006-01-02 15:04:05 -0700", "2006-01-02T15:04Z07:00", time.RFC1123, time.RFC1123Z}
	unzoned = []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02", "2006/01/02", "2006.01.02",
		"January 2, 2006", "Jan 2, 2006", "2 January 2006", "2 Jan 2006", "January 2006", "Jan 2006", "2006-01"}
)

// parseTime reads text. A zone by letters is taken only where it is UTC: other
// abbreviations mean different things to different people.
func parseTime(text string) (stamp, bool) {
	text = strings.TrimSpace(text)
	if len(text) > 64 {
		return stamp{}, false
	}
	for _, layout := range zoned {
		t, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		if name, _ := t.Zone(); strings.Contains(layout, "MST") && name != "UTC" && name != "GMT" {
			continue
		}
		return stamp{ms: t.UnixMilli(), set: true}, within(t)
	}
	for _, layout := range unzoned {
		if t, err := time.Parse(layout, text); err == nil {
			return stamp{ms: t.UnixMilli(), set: true, naive: true}, within(t)
		}
	}
	return stamp{}, false
}

func within(t time.Time) bool { return t.Year() >= 1 && t.Year() <= 9999 && t.Unix() > 0 }

// The beginnings of a dated entry, as assistants write them when they are asked for
// what they remember: "[2026-03-01] - text", "[2026-03-01]. text", "2026-03-01 - text".
var (
	bracketed = regexp.MustCompile(`^\[([^\[\]]{1,40})\]\s*[-–—:.]?\s+`)
	bare      = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2})\s*[-–—:]\s+`)
)

// undated are words in place of a date.
var undated = map[string]bool{"unknown": true, "unknown date": true, "no date": true, "date unknown": true, "date not available": true, "not available": true, "n/a": true, "undated": true}

// dated cuts the date off the beginning of an entry.
func dated(text string) (rest string, at stamp) {
	if m := bracketed.FindStringSubmatch(text); m != nil {
		if undated[strings.ToLower(strings.TrimSpace(m[1]))] {
			return text[len(m[0]):], stamp{}
		}
		if at, ok := parseTime(m[1]); ok {
			return text[len(m[0]):], at
		}
	}
	if m := bare.FindStringSubmatch(text); m != nil {
		if at, ok := parseTime(m[1]); ok {
			return text[len(m[0]):], at
		}
	}
	return text, stamp{}
}
