package transcript

import (
	"strings"
	"time"

	"elowen/server/journal"
)

// textVersion is of how texts are made from turns: what was derived from texts of
// another one is made anew. A turn itself never changes.
const textVersion = "1"

// window is what is indexed of a turn.
type window struct {
	day    string // on which it was said, in UTC, in English as most questions
	before string // the turn before, with its speaker; empty: there is none
	said   string // the turn, with its speaker
}

func windowOf(e journal.Entry, before *journal.Message) window {
	w := window{day: time.UnixMilli(e.At).UTC().Format("2 January 2006")}
	if m, ok := e.Payload.(*journal.Message); ok {
		w.said = said(m)
	}
	if before != nil {
		w.before = said(before)
	}
	return w
}

func said(m *journal.Message) string {
	if m.Speaker == "" {
		return m.Content
	}
	return m.Speaker + ": " + m.Content
}

// alone is the turn's own text.
func (w window) alone() string { return "[" + w.day + "] " + w.said }

// pair is the text of the turn with the one before.
func (w window) pair() string {
	if w.before == "" {
		return w.alone()
	}
	return "[" + w.day + "] " + w.before + "\n" + w.said
}

// separator stands between the parts of a window as one text. It is a control character
// that no turn has.
const separator = "\x1f"

// text is the window as one text, for the queue.
func (w window) text() string { return w.day + separator + w.before + separator + w.said }

func readWindow(text string) window {
	var w window
	w.day, text, _ = strings.Cut(text, separator)
	w.before, w.said, _ = strings.Cut(text, separator)
	return w
}
