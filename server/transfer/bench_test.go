package transfer_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"elowen/server/db/dbtest"
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
