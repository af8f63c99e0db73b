package vitality_test

import (
	"fmt"
	"time"

	"elowen/server/vitality"
)

// A memory of the highest importance that is never recalled goes after more than a
// year, at the first sweep after its vitality has fallen through the floor.
func ExampleEvictableAt() {
	created := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	nextSweep := time.Date(2026, 12, 1, 5, 0, 0, 0, time.UTC)
	m := vitality.Memory{Importance: 10, CreatedAt: created.UnixMilli(), Active: true}

	at, ok, err := vitality.EvictableAt(m, vitality.DefaultPolicy(), nextSweep.UnixMilli())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(ok, time.UnixMilli(at).UTC().Format(time.RFC3339))

	m.UseCount, m.LastUsedAt = 1, nextSweep.UnixMilli() // recalled once
	at, _, _ = vitality.EvictableAt(m, vitality.DefaultPolicy(), nextSweep.UnixMilli())
	fmt.Println(time.UnixMilli(at).UTC().Format(time.RFC3339))
	// Output:
	// true 2028-01-23T05:00:00Z
	// 2028-03-03T05:00:00Z
}
