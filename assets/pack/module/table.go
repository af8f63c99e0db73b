package module

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// The layout of the table and of a function's record, from Go 1.20 on: see
// runtime/symtab.go (pcHeader, functab) and runtime/runtime2.go (_func).
const (
	headerStart = "\xf1\xff\xff\xff\x00\x00\x01\x08" // magic, padding, smallest instruction, bytes of a pointer

	nameOff   = 4 // offsets in a record, which is of 32-bit words but for its last four bytes
	pcsp      = 16
	pcfile    = 20
	pcln      = 24
	npcdata   = 28
	cuOff     = 32
	startLine = 36
	nfuncdata = 43
	recordLen = 44 // then npcdata and nfuncdata words

	// Indices in these words, from internal/abi/symtab.go.
	unsafePoint   = 0 // pcdata: where a goroutine can't be interrupted; the browser never does
	argLiveIndex  = 3 // pcdata
	argInfo       = 5 // funcdata: how arguments are printed in a stack
	argLiveInfo   = 6 // funcdata
	noFuncdata    = 1<<32 - 1
	maxNameLength = 4096
)

// table is the function table within the memory.
type table struct {
	b                            []byte // from the header on
	funcs                        int
	names, nameEnd, pcs, records int // where parts begin in b; pcs ends where records begin
}

// findTable finds the function table, which there must be exactly one of.
func (m *memory) findTable() (*table, error) {
	i := bytes.Index(m.b, []byte(headerStart))
	if i < 0 {
		return nil, errors.New("not found")
	}
	if bytes.Contains(m.b[i+1:], []byte(headerStart)) {
		return nil, errors.New("found twice")
	}
	t := table{b: m.b[i:]}
	var head [8]int
	const headEnd = 8 + 8*len(head)
	for k := range head {
		v, ok := t.word(8+8*k, 8)
		if !ok || v > len(t.b) {
			return nil, errors.New("its header makes no sense")
		}
		head[k] = v
	}
	t.funcs, t.names, t.nameEnd, t.pcs, t.records = head[0], head[3], head[4], head[6], head[7]
	if t.funcs == 0 || t.names < headEnd || t.names >= t.nameEnd || t.nameEnd > head[5] || head[5] > t.pcs || t.pcs >= t.records {
		return nil, errors.New("its parts are in another order")
	}
	return &t, nil
}

func (t *table) word(at, size int) (int, bool) {
	if at < 0 || at > len(t.b)-size {
		return 0, false
	}
	if size == 8 {
		v := binary.LittleEndian.Uint64(t.b[at:])
		return int(v), v < limit
	}
	return int(binary.LittleEndian.Uint32(t.b[at:])), true
}

func (t *table) set(at, v int) { binary.LittleEndian.PutUint32(t.b[at:], uint32(v)) }

// record is where a function's record begins, with the numbers of its pcdata and
// funcdata words.
func (t *table) record(k int) (at, pcdata, funcdata int, err error) {
	off, ok := t.word(t.records+8*k+4, 4)
	at = t.records + off
	if ok {
		pcdata, ok = t.word(at+npcdata, 4)
	}
	if !ok || at+recordLen > len(t.b) {
		return 0, 0, 0, errors.New("a record outside of it")
	}
	funcdata = int(t.b[at+nfuncdata])
	if pcdata > 16 || at+recordLen+4*(pcdata+funcdata) > len(t.b) {
		return 0, 0, 0, errors.New("a record that makes no sense")
	}
	return at, pcdata, funcdata, nil
}

// name is the name of the function of a record.
func (t *table) name(record int) (string, error) {
	off, _ := t.word(record+nameOff, 4)
	from := t.names + off
	if from < t.names || from >= t.nameEnd {
		return "", errors.New("a name outside of it")
	}
	name, _, ok := bytes.Cut(t.b[from:min(t.nameEnd, from+maxNameLength)], []byte{0})
	if !ok {
		return "", errors.New("a name without an end")
	}
	return string(name), nil
}

// trim empties what is read only to print a stack: lines and files but of traced
// functions, and arguments. What is left of the tables by program counter moves
// together; the room behind is zeroes, which cost nothing.
func (m *memory) trim(traced func(function string) bool) error {
	t, err := m.findTable()
	if err != nil {
		return err
	}
	kept := append(make([]byte, 0, t.records-t.pcs), 0) // 0 means: no table
	moved := map[int]int{0: 0}
	free := t.records + 8*t.funcs // the records follow the list of them, each after the one before
	for k := range t.funcs {
		at, pcdata, funcdata, err := t.record(k)
		if err != nil {
			return err
		}
		if at < free {
			return errors.New("a record over another part of it")
		}
		free = at + recordLen + 4*(pcdata+funcdata)
		name, err := t.name(at)
		if err != nil {
			return err
		}
		t.set(at+startLine, 0)
		if !traced(name) {
			t.set(at+pcfile, 0)
			t.set(at+pcln, 0)
			t.set(at+cuOff, 0)
		}
		words := []int{at + pcsp, at + pcfile, at + pcln}
		for i := range pcdata {
			word := at + recordLen + 4*i
			if i == unsafePoint || i == argLiveIndex {
				t.set(word, 0)
			}
			words = append(words, word)
		}
		for i := range funcdata {
			if i == argInfo || i == argLiveInfo {
				t.set(at+recordLen+4*(pcdata+i), noFuncdata)
			}
		}
		for _, word := range words {
			old, _ := t.word(word, 4)
			to, ok := moved[old]
			if !ok {
				values, err := t.values(old)
				if err != nil {
					return err
				}
				to = len(kept)
				kept = append(kept, values...)
				moved[old] = to
			}
			t.set(word, to)
		}
	}
	room := t.b[t.pcs:t.records]
	if len(kept) > len(room) {
		return errors.New("its values overlap")
	}
	clear(room)
	copy(room, kept)
	return nil
}

// values are the bytes of one table by program counter: pairs of how far the value
// and the counter go on, until the value does not. The first may be zero.
func (t *table) values(off int) ([]byte, error) {
	from := t.pcs + off
	if from < t.pcs || from >= t.records {
		return nil, errors.New("values outside of it")
	}
	r := reader{b: t.b[from:t.records]}
	for first := true; ; first = false {
		if r.uint() == 0 && !first || r.failed {
			break
		}
		r.uint()
	}
	if r.failed {
		return nil, errors.New("values without an end")
	}
	return r.b[:r.at], nil
}
