package local

import (
	"context"

	"elowen/server/embedding"
	"elowen/server/embedding/local/token"
)

// What the models were trained to read before a text
// (https://huggingface.co/intfloat/multilingual-e5-small).
const (
	passagePrefix = "passage: "
	queryPrefix   = "query: "
)

// window is how the models see a long text: 512 is the number of their positions.
var window = token.Window{Size: 512, Overlap: 64, Most: 16}

// together is how many sequences the background encodes before it lets another
// call of the background begin.
const together = 16

// Passages gives the vectors of each text, one for each window of it, as for what is
// stored. It runs in the background, see the package. Errors: Unavailable without
// weights, Cancelled.
func (m *Model) Passages(ctx context.Context, texts []string) ([][][]float32, error) {
	l, err := m.load()
	if err != nil {
		return nil, err
	}
	var sequences [][]int32
	var of []int // whose each is
	list := make([][][]float32, len(texts))
	flush := func() error {
		rows, err := m.inBackground(ctx, l, sequences)
		for i, row := range rows {
			list[of[i]] = append(list[of[i]], row)
		}
		sequences, of = sequences[:0], of[:0]
		return err
	}
	for i, text := range texts {
		for _, seq := range l.windows(passagePrefix, l.passageLead, text, window) {
			sequences, of = append(sequences, seq), append(of, i)
		}
		if len(sequences) >= together {
			if err := flush(); err != nil {
				return nil, err
			}
		}
	}
	if err := flush(); err != nil {
		return nil, err
	}
	return list, nil
}

// Queries gives the vector of each text, as for what is asked. It doesn't wait for
// the background. Errors are those of Passages.
func (m *Model) Queries(ctx context.Context, texts []string) ([][]float32, error) {
	l, err := m.load()
	if err != nil {
		return nil, err
	}
	defer m.turns.query()()
	first := window
	first.Most = 1
	var sequences [][]int32
	for _, text := range texts {
		sequences = append(sequences, l.windows(queryPrefix, l.queryLead, text, first)...)
	}
	return l.means(ctx, sequences)
}

// Tokens gives the pieces of a text's first window and, of each, the last hidden
// state, Width numbers one after the other: for a query without waiting, for a
// passage in the background. Prefix and frame are seen by the model and left out of
// the answer, which may be empty. Errors are those of Passages.
func (m *Model) Tokens(ctx context.Context, text string, query bool) (ids []int32, states []float32, err error) {
	l, err := m.load()
	if err != nil {
		return nil, nil, err
	}
	first := window
	first.Most = 1
	prefix, lead := passagePrefix, l.passageLead
	if query {
		prefix, lead = queryPrefix, l.queryLead
		defer m.turns.query()()
	} else {
		var end func()
		if ctx, end, err = m.turns.index(ctx); err != nil {
			return nil, nil, err
		}
		defer end()
	}
	sequence := l.windows(prefix, lead, text, first)[0]
	states, err = l.encoder.Hidden(ctx, [][]int32{sequence})
	if err == nil {
		err = l.failure()
	}
	if err != nil {
		return nil, nil, err
	}
	from, to := 1+lead, len(sequence)-1
	return sequence[from:to:to], states[from*Width : to*Width : to*Width], nil
}

// Pieces gives the numbers of a text's pieces, as Tokens has them but of all of it.
func (m *Model) Pieces(text string) ([]int32, error) {
	l, err := m.load()
	if err != nil {
		return nil, err
	}
	return l.Append(nil, queryPrefix+text)[l.queryLead:], nil
}

// Kernel names the kernel that the model runs on here; it loads the model.
func (m *Model) Kernel() (string, error) {
	l, err := m.load()
	if err != nil {
		return "", err
	}
	return l.encoder.Kernel(), nil
}

// inBackground is means in a turn of the background.
func (m *Model) inBackground(ctx context.Context, l *loaded, sequences [][]int32) ([][]float32, error) {
	if len(sequences) == 0 {
		return nil, nil
	}
	ctx, end, err := m.turns.index(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	return l.means(ctx, sequences)
}

// windows cuts a text into sequences of pieces.
func (l *loaded) windows(prefix string, lead int, text string, w token.Window) [][]int32 {
	begin, end := l.Frame()
	return w.Windows(l.Append(nil, prefix+text), lead, begin, end)
}

// means gives the mean of each sequence's last hidden states, of length 1.
func (l *loaded) means(ctx context.Context, sequences [][]int32) ([][]float32, error) {
	rows, err := l.encoder.Mean(ctx, sequences)
	if err == nil {
		err = l.failure()
	}
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if err := embedding.Normalize(row); err != nil {
			return nil, err
		}
	}
	return rows, nil
}
