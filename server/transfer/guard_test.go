package transfer_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"elowen/server/db/dbtest"
	"elowen/server/transfer"
	"elowen/shared/fault"
)

// A parser that panics fails its import, with the stack in the log, and nothing else:
// the next import is made, and its place is free.
func TestAParserThatPanics(t *testing.T) {
	each(t, func(t *testing.T, h *house, clock *dbtest.Clock) {
		var log bytes.Buffer
		h.in.Log = slog.New(slog.NewTextHandler(&log, nil))
		anna := h.person("anna")
		var b strings.Builder
		for n := range 5000 { // chunks of 2000
			fmt.Fprintf(&b, `{"type":"memory","body":"Fact %d."}`+"\n", n+1)
		}
		for _, c := range []struct{ line, written int }{{1, 0}, {2, 0}, {2000, 0}, {4999, 4000}} {
			log.Reset()
			s := transfer.New(h.d, h.in)
			s.PanicAt(c.line)
			_, err := s.Import(context.Background(), anna, strings.NewReader(b.String()), transfer.Options{By: byImport.By, TempDir: t.TempDir()})
			if !fault.Is(err, fault.Internal) {
				t.Errorf("line %d: %v", c.line, err)
			}
			if text := log.String(); !strings.Contains(text, "nobody thought of") || !strings.Contains(text, "export_test.go") {
				t.Errorf("line %d is logged as %q", c.line, text)
			}
			if n := len(h.rows(anna)); n != c.written {
				t.Errorf("line %d: %d memories, want %d", c.line, n, c.written)
			}
			s.PanicAt(0)
			if r, err := s.Import(context.Background(), anna, strings.NewReader(`{"type":"memory","body":"Fact 1."}`), transfer.Options{By: byImport.By, DryRun: true, TempDir: t.TempDir()}); err != nil || r.Lines != 1 {
				t.Errorf("after line %d: %+v %v", c.line, r, err)
			}
		}
	})
}

// What decides panics no further either, whoever is told meanwhile.
func TestADecisionThatPanics(t *testing.T) {
	each(t, func(t *testing.T, h *house, clock *dbtest.Clock) {
		var log bytes.Buffer
		h.in.Log = slog.New(slog.NewTextHandler(&log, nil))
		s := transfer.New(h.d, h.in)
		told := 0
		err := s.Aside(func(at func(int)) error {
			at(1)
			panic("a decision that nobody thought of")
		}, func(int) { told++ })
		if !fault.Is(err, fault.Internal) || told != 1 || !strings.Contains(log.String(), "guard_test.go") {
			t.Errorf("%v, told %d times, logged %q", err, told, log.String())
		}
	})
}
