package projection

// entry is a slot beside a part of its row's key.
type entry struct {
	key  uint64
	slot int32
}

// radixLeast is how many rows make sorting by digits quicker than by comparison.
const radixLeast = 512

// radix sorts entries by key, equals in the order they have. It counts every byte
// of the keys once and moves the entries for those bytes in which they differ:
// five for the instants of a year. The result may lie in another array.
func radix(entries []entry) []entry {
	var counts [8][256]int
	for _, e := range entries {
		for b := range counts {
			counts[b][byte(e.key>>(8*b))]++
		}
	}
	to := make([]entry, len(entries))
	for b := range counts {
		count := &counts[b]
		if count[byte(entries[0].key>>(8*b))] == len(entries) {
			continue
		}
		at := 0
		for digit, n := range count {
			count[digit] = at
			at += n
		}
		for _, e := range entries {
			digit := byte(e.key >> (8 * b))
			to[count[digit]] = e
			count[digit]++
		}
		entries, to = to, entries
	}
	return entries
}
