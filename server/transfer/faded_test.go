package transfer_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"elowen/server/db/dbtest"
	"elowen/server/transfer"
	"elowen/server/vitality"
	"elowen/shared/api"
)

// A dry run says how many of what would come in have faded already: as many as the
// sweep's own count finds once they are in, whatever their importance, age, uses and
// status, and what is there already counts for nothing.
func TestDryRunTellsOfWhatHasFaded(t *testing.T) {
	each(t, func(t *testing.T, h *house, clock *dbtest.Clock) {
		anna := h.person("anna")
		ago := func(days int) string {
			return time.UnixMilli(h.d.Now() - int64(days)*24*3600_000).UTC().Format(time.RFC3339)
		}
		var lines strings.Builder
		for n, days := range []int{0, 1, 10, 29, 30, 31, 60, 90, 120, 200, 400, 900, 3000} {
			for _, importance := range []int{1, 5, 10} {
				fmt.Fprintf(&lines, `{"type":"memory","body":"Fact %d of %d.","importance":%d,"createdAt":%q}`+"\n", n, importance, importance, ago(days))
			}
			fmt.Fprintf(&lines, `{"type":"memory","body":"Trashed %d.","status":"deleted","createdAt":%q}`+"\n", n, ago(days))
		}
		would := h.importTo(anna, lines.String(), dry())
		if would.Refused > 0 || would.Faded == 0 || would.Faded >= would.Added || would.DueNow != 0 {
			t.Fatalf("the dry run: %+v", would)
		}
		did := h.importTo(anna, lines.String(), byImport)
		if did.Faded != would.Faded || did.DueNow != would.Faded {
			t.Errorf("%d would have faded, %d had, and the sweep finds %d", would.Faded, did.Faded, did.DueNow)
		}
		says := fmt.Sprintf("%d of these would be below the floor", would.Faded)
		if notes := strings.Join(would.Notes, "\n"); !strings.Contains(notes, says) || !strings.Contains(notes, fmt.Sprintf("At most %d a day", vitality.DefaultPolicy().DailyLimit)) {
			t.Errorf("notes: %q", notes)
		}
		if notes := strings.Join(did.Notes, "\n"); strings.Contains(notes, "floor") {
			t.Errorf("afterwards: %q", notes)
		}
		if again := h.importTo(anna, lines.String(), dry()); again.Faded != 0 || strings.Contains(strings.Join(again.Notes, "\n"), "floor") {
			t.Errorf("what is there already: %+v", again)
		}

		// Of another system's the same, also where something refused holds it back.
		var list []any
		for n, days := range []int{0, 500, 900} {
			list = append(list, object{"id": fmt.Sprint(n), "memory": fmt.Sprintf("Other %d.", n), "created_at": ago(days)})
		}
		o := dry()
		o.From = api.FormatMem0
		r := h.bring(anna, bundle(t, "mem0.json", encoded(object{"results": list})), o)
		if r.Faded != 2 || !strings.Contains(strings.Join(r.Notes, "\n"), "2 of these would be below") {
			t.Errorf("of another system: %+v", r)
		}

		// Where retention is off nothing is said.
		now, err := h.in.Retention.Settings(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		off := false
		if _, err := h.in.Retention.Save(context.Background(), api.PolicyChange{Revision: now.Revision, Enabled: &off}); err != nil {
			t.Fatal(err)
		}
		if r := h.importTo(anna, strings.ReplaceAll(lines.String(), "Fact", "Thing"), dry()); r.Faded != 0 || r.Added == 0 {
			t.Errorf("with retention off: %+v", r)
		}
	})
}

func dry() transfer.Options {
	o := byImport
	o.DryRun = true
	return o
}
