package transfer_test

import (
	"context"
	"io"
	"sync"
	"testing"

	"elowen/server/db"
	"elowen/server/db/dbtest"
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
