package transfer_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"elowen/server/db/dbtest"
)

func TestZZProf(t *testing.T) {
	b, _ := os.ReadFile("/tmp/100k.jsonl")
	h := open(t, dbtest.Open(t, nil))
	anna := h.person("anna")
	lines := strings.SplitAfter(string(b), "\n")
	r, err := h.Import(context.Background(), anna, strings.NewReader(strings.Join(lines[:30000], "")), byImport)
	t.Log(r.Added, err)
}
