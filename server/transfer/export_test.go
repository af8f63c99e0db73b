package transfer

// PanicAt makes the parser panic at a line of that number.
func (s *Store) PanicAt(number int) {
	s.parse = func(n int, data []byte, now int64, foreign bool) *parsed {
		if n == number {
			panic("a line that nobody thought of")
		}
		return parseLine(n, data, now, foreign)
	}
}

// Aside runs work as an import runs what it decides.
func (s *Store) Aside(work func(at func(int)) error, tell func(int)) error {
	return aside(s.Log, work, tell)
}
