package foreign_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"elowen/server/transfer/foreign"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// crowded is a zip that is nothing but its directory of n entries without names, and
// says whatever it is told to say of its count, size and where it begins. wide puts
// that into the 64-bit record.
func crowded(n int, count, size, offset uint64, wide bool) []byte {
	le := binary.LittleEndian
	var b bytes.Buffer
	b.WriteString("PK\x03\x04") // what a zip is known by
	for range n {
		header := make([]byte, 46)
		copy(header, "PK\x01\x02")
		b.Write(header)
	}
	end := make([]byte, 22)
	copy(end, "PK\x05\x06")
	le.PutUint16(end[8:], uint16(count))
	le.PutUint16(end[10:], uint16(count))
	le.PutUint32(end[12:], uint32(size))
	le.PutUint32(end[16:], uint32(offset))
	if wide {
		at := b.Len()
		record := make([]byte, 56)
		copy(record, "PK\x06\x06")
		le.PutUint64(record[4:], 44)
		le.PutUint64(record[24:], count)
		le.PutUint64(record[32:], count)
		le.PutUint64(record[40:], size)
		le.PutUint64(record[48:], offset)
		b.Write(record)
		locator := make([]byte, 20)
		copy(locator, "PK\x06\x07")
		le.PutUint64(locator[8:], uint64(at))
		le.PutUint32(locator[16:], 1)
		b.Write(locator)
		le.PutUint16(end[8:], 0xffff)
		le.PutUint16(end[10:], 0xffff)
		le.PutUint32(end[12:], 0xffffffff)
		le.PutUint32(end[16:], 0xffffffff)
	}
	b.Write(end)
	return b.Bytes()
}

func added(b *foreign.Bundle, data []byte) error {
	return b.Add("a.zip", memory{bytes.NewReader(data)}, int64(len(data)), 0)
}

// A zip's directory ends where the bound is, whatever its end says of it.
func TestCrowdedZips(t *testing.T) {
	most := setting.Int("import.directory")
	n := most/46 + 100
	bytes := uint64(n) * 46
	for name, data := range map[string][]byte{
		"honest, 64 bits":              crowded(n, uint64(n), bytes, 4, true),
		"the count cut to 16 bits":     crowded(n, uint64(n)%65536, bytes, 4, false),
		"no count":                     crowded(n, 0, bytes, 4, false),
		"a small size, found all same": crowded(n, uint64(n)%65536, 46, 4, false),
		"a small size, 64 bits":        crowded(n, uint64(n), 46, 4, true),
		"more than a count can be":     crowded(n, 1<<60, bytes, 4, true),
	} {
		if err := added(&foreign.Bundle{}, data); !fault.Is(err, fault.TooLarge) || !strings.Contains(err.Error(), "directory") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := added(&foreign.Bundle{}, crowded(20_000, 1<<60, 20_000*46, 4, true)); !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.TooLarge) {
		t.Errorf("a count of what is not there: %v", err)
	}
	// Several zips have one bound together, and what is ignored of them counts too.
	b := &foreign.Bundle{}
	var entries []string
	for i := range 20_000 {
		entries = append(entries, fmt.Sprintf(".hidden/%d", i), "")
	}
	quarter := zipped(t, entries...)
	var err error
	times := 0
	for ; err == nil && times < 100; times++ {
		err = added(b, quarter)
	}
	if !fault.Is(err, fault.TooLarge) || times < 3 || times > 10 {
		t.Errorf("after %d: %v", times, err)
	}
	// What people bring is far from it, and is still read after its directory was.
	entries = entries[:0]
	for i := range 3_000 {
		entries = append(entries, fmt.Sprintf("notes/a folder with a name/and another one/note %d.md", i), "- fact\n")
	}
	if found := readHeld(t, "a.zip", "", zipped(t, entries...)); len(found.Items) != 3_000 {
		t.Errorf("%d items", len(found.Items))
	}
}
