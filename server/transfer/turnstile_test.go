package transfer_test

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"

	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/transfer"
	"elowen/server/transfer/foreign"
	"elowen/shared/fault"
)

// standing is a reader of an export who doesn't read on until it is let.
type standing struct {
	once    sync.Once
	reached chan struct{}
	on      chan struct{}
}

func (s *standing) Write(p []byte) (int, error) {
	s.once.Do(func() { close(s.reached) })
	<-s.on
	return len(p), nil
}

// Exports that don't move leave the store to everybody else, and a person has one
// of the few places at most.
func TestExportsDoNotTakeEveryReader(t *testing.T) {
	each(t, func(t *testing.T, h *house, clock *dbtest.Clock) {
		ctx := context.Background()
		anna, bela, carl := h.person("anna"), h.person("bela"), h.person("carl")
		for _, owner := range []db.AccountID{anna, bela, carl} {
			h.importTo(owner, `{"type":"memory","body":"Something."}`, byImport)
		}
		var wg sync.WaitGroup
		on := make(chan struct{})
		start := func(owner db.AccountID) *standing {
			s := &standing{reached: make(chan struct{}), on: on}
			wg.Go(func() {
				if err := h.Export(ctx, owner, s); err != nil {
					t.Errorf("account %d: %v", owner, err)
				}
			})
			return s
		}
		impatient := func(what string, export func(context.Context, io.Writer) error) {
			t.Helper()
			short, cancel := context.WithCancel(ctx)
			got := make(chan error, 1)
			go func() { got <- export(short, io.Discard) }()
			cancel()
			if err := <-got; !fault.Is(err, fault.Cancelled) {
				t.Errorf("%s: %v", what, err)
			}
		}
		first := start(anna)
		<-first.reached
		impatient("anna's second", func(ctx context.Context, w io.Writer) error { return h.Export(ctx, anna, w) })
		second := start(bela) // anna's second has not taken its place
		<-second.reached
		impatient("carl's", func(ctx context.Context, w io.Writer) error { return h.Export(ctx, carl, w) })
		impatient("everybody's", h.ExportAll)
		var waiting []*standing
		for range 8 {
			for _, owner := range []db.AccountID{anna, bela, carl} {
				waiting = append(waiting, start(owner))
			}
		}
		if err := h.d.View(ctx, func(*db.Tx) error { return nil }); err != nil { // hangs where no reader is left
			t.Error(err)
		}
		for i, s := range waiting {
			select {
			case <-s.reached:
				t.Errorf("export %d reads beside the two", i)
			default:
			}
		}
		close(on)
		wg.Wait()
		if err := h.ExportAll(ctx, io.Discard); err != nil {
			t.Error(err)
		}
	})
}

// under is an import under way: it is told a step, and stands there until it is let.
func (h *house) under(wg *sync.WaitGroup, owner db.AccountID, b *foreign.Bundle, on chan struct{}, turn *transfer.Turn) *standing {
	s := &standing{reached: make(chan struct{}), on: on}
	o := byImport
	o.DryRun, o.Turn, o.TempDir = true, turn, h.t.TempDir()
	o.Step = func(int64, int64, int) {
		s.once.Do(func() { close(s.reached) })
		<-s.on
	}
	wg.Go(func() {
		if _, err := h.Bring(context.Background(), owner, b, o); err != nil {
			h.t.Errorf("account %d: %v", owner, err)
		}
	})
	return s
}

// Imports, dry runs among them, go through one by one, and leave the store to everybody
// else also beside as many exports as there can be. Nothing of a bundle is read before
// it is its turn.
func TestImportsDoNotTakeEveryReader(t *testing.T) {
	each(t, func(t *testing.T, h *house, clock *dbtest.Clock) {
		ctx := context.Background()
		anna, bela, carl := h.person("anna"), h.person("bela"), h.person("carl")
		for _, owner := range []db.AccountID{anna, bela} {
			h.importTo(owner, `{"type":"memory","body":"Something."}`, byImport)
		}
		var wg sync.WaitGroup
		on := make(chan struct{})
		for _, owner := range []db.AccountID{anna, bela} {
			s := &standing{reached: make(chan struct{}), on: on}
			wg.Go(func() {
				if err := h.Export(ctx, owner, s); err != nil {
					t.Error(err)
				}
			})
			<-s.reached
		}
		first := h.under(&wg, anna, bundle(t, "a.md", []byte("- One\n")), on, nil)
		<-first.reached
		short, cancel := context.WithCancel(ctx)
		cancel()
		for what, do := range map[string]func() error{
			"anna's second": func() error { _, err := h.Bring(short, anna, &foreign.Bundle{}, byImport); return err },
			"carl's":        func() error { _, err := h.Bring(short, carl, &foreign.Bundle{}, byImport); return err },
			"everybody's":   func() error { _, err := h.BringAll(short, &foreign.Bundle{}, byImport); return err },
			"lines":         func() error { _, err := h.Import(short, carl, strings.NewReader(""), byImport); return err },
			"all lines":     func() error { _, err := h.ImportAll(short, strings.NewReader(""), byImport); return err },
			"an older one":  func() error { _, err := h.ImportElowen(short, "none", transfer.ElowenOptions{}); return err },
			"a turn":        func() error { _, err := h.Turn(short, anna); return err },
		} {
			if err := do(); !fault.Is(err, fault.Cancelled) || !strings.Contains(err.Error(), "other imports") {
				t.Errorf("%s: %v", what, err)
			}
		}
		var waiting []*standing
		for n, owner := range []db.AccountID{anna, bela, carl, bela, carl} {
			name, text := "a.md", "- One more\n"
			if n%2 == 0 {
				name, text = "a.jsonl", `{"type":"memory","body":"One more."}`
			}
			waiting = append(waiting, h.under(&wg, owner, bundle(t, name, []byte(text)), on, nil))
		}
		if err := h.d.View(ctx, func(*db.Tx) error { return nil }); err != nil { // hangs where no reader is left
			t.Error(err)
		}
		for n, s := range waiting {
			select {
			case <-s.reached:
				t.Errorf("import %d is under way beside the first", n)
			default:
			}
		}
		close(on)
		wg.Wait()
		for n, s := range waiting {
			select {
			case <-s.reached:
			default:
				t.Errorf("import %d was never under way", n)
			}
		}
	})
}

// An account's turn holds up its own imports, whatever it is waiting for, and those of
// nobody else.
func TestATurnIsAnAccounts(t *testing.T) {
	each(t, func(t *testing.T, h *house, clock *dbtest.Clock) {
		ctx := context.Background()
		anna, bela := h.person("anna"), h.person("bela")
		turn, err := h.Turn(ctx, anna)
		if err != nil {
			t.Fatal(err)
		}
		short, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := h.Bring(short, anna, &foreign.Bundle{}, byImport); !fault.Is(err, fault.Cancelled) {
			t.Errorf("beside one's own turn: %v", err)
		}
		h.bring(bela, bundle(t, "a.md", []byte("- Somebody else's\n")), byImport)
		o := byImport
		o.Turn = turn
		h.bring(anna, bundle(t, "a.md", []byte("- With the turn\n")), o)
		turn.Leave()
		h.bring(anna, bundle(t, "a.md", []byte("- After it\n")), byImport)
		if n := len(h.rows(anna)); n != 2 {
			t.Errorf("%d memories", n)
		}
	})
}
