package browser

import (
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Somebody who types faster than a field appears (a key opens the palette, the
// letters of what is looked for follow at once) has typed into nothing, or given
// orders: letters are commands on a list. So letters are kept from the key until a
// field has the focus, and are typed there.

// aheadFor is how long a field may take to appear; what was typed until then is
// dropped with it.
const aheadFor = 1500 * time.Millisecond

var typedAhead struct {
	since time.Time
	text  strings.Builder
}

// ExpectField begins to keep letters for the field that will get the focus next.
func ExpectField() {
	typedAhead.since = time.Now()
	typedAhead.text.Reset()
}

// KeepAhead keeps the letter of a key for the field that is expected, and tells
// whether it did.
func KeepAhead(e app.Event) bool {
	if typedAhead.since.IsZero() {
		return false
	}
	if time.Since(typedAhead.since) > aheadFor {
		typedAhead.since = time.Time{}
		return false
	}
	key := Key(e)
	if Commanding(e) || len([]rune(key)) != 1 {
		return false
	}
	e.PreventDefault()
	typedAhead.text.WriteString(key)
	return true
}

// typeAhead types what was kept into the element that has just got the focus. Where
// that isn't a field, it is dropped: it was meant for one.
func typeAhead(element app.Value) {
	if typedAhead.since.IsZero() {
		return
	}
	typedAhead.since = time.Time{}
	if text := typedAhead.text.String(); text != "" && isField(element) {
		// The one way to type that browsers have: the field's events follow, and undo.
		Document().Call("execCommand", "insertText", false, text)
	}
}
