package token

// Window is how a model sees what is too long for it.
type Window struct {
	Size    int // pieces of a sequence, prefix and frame included
	Overlap int // pieces that a sequence shares with the one before
	Most    int // sequences of a text; the rest of it isn't seen
}

// Windows cuts a text's pieces into sequences. The first lead pieces are a prefix
// that each sequence has; before it stands begin, and end after all. There is
// always one sequence, be it of prefix and frame alone. The sequences are the
// caller's.
func (w Window) Windows(ids []int32, lead int, begin, end int32) [][]int32 {
	prefix, body := ids[:lead], ids[lead:]
	room := w.Size - 2 - lead
	var list [][]int32
	for from := 0; len(list) < w.Most; from += room - w.Overlap {
		to := min(from+room, len(body))
		sequence := make([]int32, 0, 2+lead+to-from)
		sequence = append(sequence, begin)
		sequence = append(sequence, prefix...)
		sequence = append(sequence, body[from:to]...)
		list = append(list, append(sequence, end))
		if to == len(body) {
			break
		}
	}
	return list
}
