package module

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// linked is a program as this toolchain makes one.
func linked(t testing.TB) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "program.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", out, "./testdata/program")
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func mine(function string) bool { return strings.HasPrefix(function, "main.") }

// parts are the sections but the data, one after another, and the memory.
func parts(t *testing.T, program []byte) (others []byte, m *memory) {
	t.Helper()
	r := reader{b: program, at: 8}
	for r.at < len(program) {
		from := r.at
		id := r.byte()
		body := r.take(r.uint())
		if r.failed {
			t.Fatal("a section is broken off")
		}
		if id != dataSection {
			others = append(others, program[from:r.at]...)
			continue
		}
		var err error
		if m, err = readMemory(body); err != nil {
			t.Fatal(err)
		}
	}
	return others, m
}

// Everything is as the linker wrote it but what is read only to print a stack, and
// of that functions that are traced keep theirs.
func TestSlimKeepsTheProgram(t *testing.T) {
	program := linked(t)
	slim, err := Slim(program, mine)
	if err != nil {
		t.Fatal(err)
	}
	others, was := parts(t, program)
	same, is := parts(t, slim)
	if !bytes.Equal(others, same) {
		t.Error("another section changed")
	}
	if was.from != is.from || len(was.b) != len(is.b) {
		t.Fatalf("memory at %d of %d bytes is now at %d of %d", was.from, len(was.b), is.from, len(is.b))
	}
	old, err := was.findTable()
	if err != nil {
		t.Fatal(err)
	}
	now, err := is.findTable()
	if err != nil {
		t.Fatal(err)
	}
	clear(old.b[old.pcs:old.records]) // compared by what it says, below, with a copy
	_, copied := parts(t, program)
	from, err := copied.findTable()
	if err != nil {
		t.Fatal(err)
	}
	clear(now.b[now.pcs:now.records])
	_, kept := parts(t, slim)
	to, err := kept.findTable()
	if err != nil {
		t.Fatal(err)
	}
	equal := func(name, what string, oldAt, newAt int) {
		a, _ := from.word(oldAt, 4)
		b, _ := to.word(newAt, 4)
		if a == 0 && b == 0 {
			return
		}
		x, errA := from.values(a)
		y, errB := to.values(b)
		if errA != nil || errB != nil || a == 0 || b == 0 || !bytes.Equal(x, y) {
			t.Errorf("%s: %s differs: %v %v", name, what, errA, errB)
		}
	}
	traced := 0
	for k := range from.funcs {
		at, pcdata, funcdata, err := from.record(k)
		if err != nil {
			t.Fatal(err)
		}
		name, err := from.name(at)
		if err != nil {
			t.Fatal(err)
		}
		if other, err := to.name(at); err != nil || other != name {
			t.Fatalf("%s is called %s: %v", name, other, err)
		}
		equal(name, "pcsp", at+pcsp, at+pcsp)
		words := []int{pcsp, startLine}
		for i := range pcdata {
			words = append(words, recordLen+4*i)
			if i != unsafePoint && i != argLiveIndex {
				equal(name, "pcdata", at+recordLen+4*i, at+recordLen+4*i)
			}
		}
		for i := range funcdata {
			if i == argInfo || i == argLiveInfo {
				words = append(words, recordLen+4*(pcdata+i))
			}
		}
		words = append(words, pcfile, pcln)
		if mine(name) {
			traced++
			equal(name, "pcfile", at+pcfile, at+pcfile)
			equal(name, "pcln", at+pcln, at+pcln)
			if v, _ := to.word(at+pcln, 4); v == 0 {
				t.Errorf("%s lost its lines", name)
			}
		} else {
			words = append(words, cuOff)
			if v, _ := to.word(at+pcln, 4); v != 0 {
				t.Errorf("%s kept its lines", name)
			}
		}
		for _, w := range words { // may differ; all else must not
			binary.LittleEndian.PutUint32(old.b[at+w:], 0)
			binary.LittleEndian.PutUint32(now.b[at+w:], 0)
		}
	}
	if traced == 0 || from.funcs < 500 {
		t.Errorf("%d functions, %d of them traced", from.funcs, traced)
	}
	if !bytes.Equal(was.b, is.b) {
		t.Error("the memory differs elsewhere")
	}
	if used := len(bytes.TrimRight(to.b[to.pcs:to.records], "\x00")); used > (to.records-to.pcs)/2 {
		t.Errorf("%d of %d bytes of the tables are still in use", used, to.records-to.pcs)
	}
	again, err := Slim(slim, mine)
	if err != nil || !bytes.Equal(again, slim) {
		t.Errorf("a second time changes it: %v", err)
	}
}

func TestSlimRefuses(t *testing.T) {
	program := linked(t)
	if _, m := parts(t, program); bytes.Count(program, []byte(headerStart)) > 1 || !bytes.Contains(m.b, []byte(headerStart)) {
		t.Fatal("the table is elsewhere")
	}
	// crowded is a module with a table of one function whose parts are where words say.
	crowded := func(size int, words ...uint64) []byte {
		table := make([]byte, size)
		copy(table, headerStart)
		for i, v := range words[:8] {
			binary.LittleEndian.PutUint64(table[8+8*i:], v)
		}
		binary.LittleEndian.PutUint32(table[words[7]+4:], uint32(words[8]))
		data := append([]byte{1, 0, i32Const, 0, end}, binary.AppendUvarint(nil, uint64(size))...)
		return module(append(data, table...)...)
	}
	if _, err := Slim(crowded(160, 1, 1, 0, 72, 76, 80, 84, 96, 8), mine); err != nil {
		t.Errorf("a table with room: %v", err)
	}
	for name, b := range map[string][]byte{
		"nothing":             {},
		"another version":     append([]byte("\x00asm\x02\x00\x00\x00"), program[8:]...),
		"broken off":          program[:len(program)-9],
		"no data":             program[:8],
		"an unknown table":    bytes.Replace(program, []byte(headerStart), []byte("\xf0"+headerStart[1:]), 1),
		"a segment elsewhere": module(1, 2, 0, i32Const, 0, end, 0),
		"an address computed": module(1, 0, 0x23, 0, end, 0),
		"no table":            module(1, 0, i32Const, 0, end, 3, 'a', 'b', 'c'),
		"far up":              module(1, 0, i32Const, 0x80, 0x80, 0x80, 0x80, 1, end, 1, 'a'),
		"fewer segments":      module(2, 0, i32Const, 0, end, 1, 'a'),
		"names in the header": crowded(160, 1, 1, 0, 64, 76, 80, 84, 96, 8),
		"record in the list":  crowded(160, 1, 1, 0, 72, 76, 80, 84, 96, 4),
	} {
		if out, err := Slim(b, mine); err == nil {
			t.Errorf("%s: became %d bytes", name, len(out))
		}
	}
}

// module is a module with a data section alone.
func module(data ...byte) []byte {
	b := binary.AppendUvarint([]byte{0, 'a', 's', 'm', 1, 0, 0, 0, dataSection}, uint64(len(data)))
	return append(b, data...)
}

func TestNumbers(t *testing.T) {
	for _, v := range []int64{0, 1, 63, 64, 127, 128, -1, -64, -65, 1 << 40, -1 << 40, 1<<63 - 1, -1 << 63} {
		r := reader{b: appendInt(nil, v)}
		if got := r.int(); got != v || r.failed || r.at != len(r.b) {
			t.Errorf("%d is read as %d", v, got)
		}
	}
	r := reader{b: bytes.Repeat([]byte{0x80}, 12)}
	if r.int(); !r.failed {
		t.Error("a number without an end")
	}
}

func FuzzSlim(f *testing.F) {
	f.Add(module(1, 0, i32Const, 0, end, 3, 'a', 'b', 'c'))
	table := make([]byte, 160)
	copy(table, headerStart)
	for i, v := range []uint64{1, 1, 0, 72, 76, 80, 84, 96} {
		binary.LittleEndian.PutUint64(table[8+8*i:], v)
	}
	binary.LittleEndian.PutUint32(table[100:], 8)
	f.Add(module(append([]byte{1, 0, i32Const, 0, end, 0xa0, 1}, table...)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		out, err := Slim(b, mine)
		if err != nil {
			return
		}
		if again, err := Slim(out, mine); err != nil || !bytes.Equal(again, out) {
			t.Errorf("a second time changes it: %v", err)
		}
	})
}
