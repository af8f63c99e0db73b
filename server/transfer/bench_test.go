package transfer_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/shared/api"
)

// sentences are texts of the usual length, with words of the usual spread.
func sentences(n int) string {
	var b strings.Builder
	nouns := []string{"harbour", "ledger", "gate", "invoice", "rota", "staging", "queue", "tenant", "pilot", "archive", "tide", "crane", "buoy", "manifest", "anchor"}
	for i := range n {
		fmt.Fprintf(&b, `{"type":"memory","body":"The %s of berth %d is checked by the %s crew before %02d:00, since the %s of dock %d failed in week %d.","kind":"fact","importance":%d,"category":"C%d","createdAt":"2026-%02d-%02dT08:00:00.%03dZ"}`+"\n",
			nouns[i%15], i%977, nouns[(i/7)%15], i%24, nouns[(i/31)%15], i%389, i%52+1, i%10+1, i%6, i%11+1, i%28+1, i%1000)
	}
	return b.String()
}

func BenchmarkImport(b *testing.B) {
	const n = 20_000
	text := sentences(n)
	for b.Loop() {
		h := open(b, dbtest.Open(b, nil))
		anna := h.person("anna")
		b.StartTimer()
		r, err := h.Import(context.Background(), anna, strings.NewReader(text), byImport)
		if err != nil || r.Added != n {
			b.Fatalf("%+v %v", r, err)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "memories/s")
}

func BenchmarkExport(b *testing.B) {
	const n = 20_000
	h := open(b, dbtest.Open(b, nil))
	anna := h.person("anna")
	if _, err := h.Import(context.Background(), anna, strings.NewReader(sentences(n)), byImport); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		var out strings.Builder
		if err := h.Export(context.Background(), anna, &out); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "memories/s")
}

// How long another account's adds wait while 100,000 memories come in: from lines of our
// own, and from another system, whose file is whole or not at all.
func BenchmarkAddBesideAnImport(b *testing.B) {
	const n = 100_000
	var plain strings.Builder
	for i := range n {
		fmt.Fprintf(&plain, "The %s of berth %d is checked by crew %d before %02d:00, since week %d.\n\n", []string{"harbour", "ledger", "gate", "rota"}[i%4], i, i%389, i%24, i%52+1)
	}
	for name, bring := range map[string]func(h *house, owner db.AccountID) (api.ImportReport, error){
		"lines": func(h *house, owner db.AccountID) (api.ImportReport, error) {
			return h.Import(context.Background(), owner, strings.NewReader(sentences(n)), byImport)
		},
		"whole": func(h *house, owner db.AccountID) (api.ImportReport, error) {
			o := byImport
			o.From = api.FormatText
			return h.Bring(context.Background(), owner, bundle(b, "facts.txt", []byte(plain.String())), o)
		},
	} {
		b.Run(name, func(b *testing.B) {
			var waits []time.Duration
			for b.Loop() {
				h := open(b, dbtest.Open(b, nil))
				anna, bert := h.person("anna"), h.person("bert")
				done := make(chan error, 1)
				go func() {
					r, err := bring(h, anna)
					if err == nil && r.Added != n {
						err = fmt.Errorf("%d added", r.Added)
					}
					done <- err
				}()
				for i, running := 0, true; running; i++ {
					began := time.Now()
					if _, err := h.in.Memories.Add(context.Background(), bert, byImport.By, api.SourceUser, api.MemoryAdd{Body: fmt.Sprintf("Note %d of Bert's.", i)}); err != nil {
						b.Fatal(err)
					}
					waits = append(waits, time.Since(began))
					select {
					case err := <-done:
						if running = false; err != nil {
							b.Fatal(err)
						}
					case <-time.After(5 * time.Millisecond):
					}
				}
			}
			slices.Sort(waits)
			b.ReportMetric(float64(waits[len(waits)/2].Milliseconds()), "ms-p50")
			b.ReportMetric(float64(waits[len(waits)*99/100].Milliseconds()), "ms-p99")
			b.ReportMetric(float64(waits[len(waits)-1].Milliseconds()), "ms-most")
		})
	}
}
