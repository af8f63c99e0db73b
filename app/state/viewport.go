package state

// Viewport is what one sees of a long list of rows of equal height. All lengths
// are CSS pixels.
type Viewport struct {
	Top    float64 // how far it is scrolled
	Height float64 // of the visible part
	Row    float64 // of one row
	Total  int     // rows of the list
}

// overscan rows are kept above and below the visible ones, so that a slow scroll
// never shows an empty edge.
const overscan = 2

// Visible is the range of ranks [first, end) that are seen, at least in part.
func (v Viewport) Visible() (first, end int) {
	if v.Row <= 0 || v.Total <= 0 || v.Height <= 0 {
		return 0, 0
	}
	first = int(v.Top / v.Row)
	end = int((v.Top+v.Height)/v.Row) + 1
	first = min(max(first, 0), v.Total-1)
	return first, min(max(end, first+1), v.Total)
}

// Rendered is the range of ranks that should be in the document.
func (v Viewport) Rendered() (first, end int) {
	first, end = v.Visible()
	return max(first-overscan, 0), min(end+overscan, v.Total)
}

// Length is the height of the whole list.
func (v Viewport) Length() float64 { return v.Row * float64(v.Total) }

// Limit is how many rows a window around the viewport should have, between least
// and most: enough that a scroll of two screens either way stays inside it.
func (v Viewport) Limit(least, most int) int {
	first, end := v.Visible()
	return min(max((end-first)*5, least), most)
}

// Ask says whether another window is needed than the one that begins at from and
// was asked for limit rows, and where it should begin. A window is left only when
// the rendered rows come near its edge, so that scrolling to and fro in one place
// asks for nothing.
func (v Viewport) Ask(from, limit int) (int, bool) {
	first, end := v.Visible()
	if end == 0 {
		return 0, false
	}
	near := max((limit-(end-first))/5, overscan)
	above := from > 0 && first-near < from
	below := from+limit < v.Total && end+near > from+limit
	if !above && !below {
		return from, false
	}
	middle := (first + end) / 2
	to := min(max(middle-limit/2, 0), max(v.Total-limit, 0))
	return to, to != from
}

// Shift says by how many ranks the rows that one was looking at have moved: the
// most frequent move among the ids of shown that are still in the window. Rows
// that moved by themselves, because they were just used or edited, are thereby
// outvoted by those that stayed together.
func Shift[R Keyed](before, after Window[R], first, end int) int {
	rank := make(map[int64]int, len(after.Rows))
	for i, r := range after.Rows {
		rank[r.Key()] = after.From + i
	}
	votes := map[int]int{}
	best, most := 0, 0
	for old := first; old < end; old++ {
		row, ok := before.Row(old)
		if !ok {
			continue
		}
		now, ok := rank[row.Key()]
		if !ok {
			continue
		}
		by := now - old
		votes[by]++
		if n := votes[by]; n > most || n == most && abs(by) < abs(best) {
			best, most = by, n
		}
	}
	return best
}

func abs(n int) int { return max(n, -n) }

// Follow is where the rank that the keyboard is at goes: with its row where that is still
// in the window, with those around it where it was removed, and nowhere (−1) where it
// moved to a place that isn't in the window. shift is what Shift says.
func Follow[R Keyed](before, after Window[R], rank, shift int) int {
	if rank < 0 {
		return rank
	}
	if row, ok := before.Row(rank); ok {
		if _, now, ok := after.Find(row.Key()); ok {
			return now
		}
		if after.Total >= before.Total {
			return -1
		}
	}
	return min(max(rank+shift, 0), max(after.Total-1, 0))
}
