package command

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/schollz/progressbar/v3"

	"elowen/shared/api"
)

// encode writes one JSON document.
func (r *run) encode(w io.Writer, v any) {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // our own types; a reader that is gone is told by the next write
}

// show prints a result: as JSON where that was asked for, else as text says.
func (r *run) show(v any, text func(w io.Writer)) error {
	if r.json {
		r.encode(r.Stdout, v)
		return nil
	}
	say(r.Stdout, text)
	return nil
}

// table prints aligned columns; with a header first.
func table(w io.Writer, header []string, rows func(add func(cells ...any))) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(header, "\t"))
	rows(func(cells ...any) {
		text := make([]string, len(cells))
		for i, c := range cells {
			text[i] = visible(fmt.Sprint(c))
		}
		fmt.Fprintln(t, strings.Join(text, "\t"))
	})
	t.Flush()
}

// instant writes an optional time.
func instant(t *api.Time) string {
	if t == nil {
		return "never"
	}
	return short(*t)
}

// short writes a time for people, in UTC.
func short(t api.Time) string {
	return time.UnixMilli(int64(t)).UTC().Format("2006-01-02 15:04 UTC")
}

// yes writes a flag.
func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// progress shows how far a long work is, where a person looks on. The function is
// given to the work; done takes the bar away.
func (r *run) progress(what string, bytes bool) (tell func(done, total int64), done func()) {
	if !r.Terminal || r.json {
		return func(int64, int64) {}, func() {}
	}
	var bar *progressbar.ProgressBar
	tell = func(at, total int64) {
		if bar == nil {
			bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(r.Stderr), progressbar.OptionSetDescription(what),
				progressbar.OptionShowBytes(bytes), progressbar.OptionSetWidth(30), progressbar.OptionThrottle(100*time.Millisecond),
				progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(true))
		}
		_ = bar.Set64(at)
	}
	return tell, func() {
		if bar != nil {
			_ = bar.Clear()
		}
	}
}

// busy shows that something goes on whose end nobody knows, where a person looks
// on, until done.
func (r *run) busy(what string) (done func()) {
	tell, clear := r.progress(what, false)
	stop := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer clear()
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for n := int64(1); ; n++ {
			select {
			case <-tick.C:
				tell(n, -1)
			case <-stop:
				return
			}
		}
	}()
	return sync.OnceFunc(func() {
		close(stop)
		<-ended
	})
}
