package db_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"elowen/server/db"
	"elowen/server/db/dbtest"
)

// After an erasing decision no page of the file has anything in its unused
// middle, whatever was split, moved and deleted before, and the file is whole.
func TestNoLeftovers(t *testing.T) {
	d := dbtest.Open(t, nil)
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 40 {
		err := d.Update(ctx, func(tx *db.Tx) error {
			for range 60 {
				name := fmt.Sprint("name ", r.IntN(900))
				var err error
				if r.IntN(3) == 0 {
					_, err = tx.Exec(`DELETE FROM meta WHERE name = ?`, name)
				} else {
					err = tx.SetMeta(name, strings.Repeat(fmt.Sprintf("v%06d", r.IntN(1e6)), 1+r.IntN(120)))
				}
				if err != nil {
					return err
				}
			}
			if round%10 == 9 {
				tx.Erase()
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.ReadFile(d.File())
	if err != nil {
		t.Fatal(err)
	}
	const size = 4096
	trees := 0
	for at := 0; at < len(file); at += size {
		page, head := file[at:at+size], 0
		if at == 0 {
			head = 100
		}
		width := map[byte]int{2: 12, 5: 12, 10: 8, 13: 8}[page[head]]
		if width == 0 {
			continue
		}
		trees++
		from := head + width + 2*int(binary.BigEndian.Uint16(page[head+3:]))
		to := int(binary.BigEndian.Uint16(page[head+5:]))
		if middle := bytes.Trim(page[from:to], "\x00"); len(middle) > 0 {
			t.Errorf("page %d holds a leftover of %d bytes: %.40q", at/size+1, len(middle), middle)
		}
	}
	if trees < 50 {
		t.Errorf("only %d pages of b-trees were looked at", trees)
	}
	if info, err := os.Stat(d.File() + "-wal"); err != nil || info.Size() != 0 {
		t.Errorf("the log after an erasing decision: %v %v", info, err)
	}
	err = d.View(ctx, func(tx *db.Tx) error {
		var verdict string
		if err := tx.Row(`PRAGMA integrity_check`, nil, &verdict); err != nil {
			return err
		}
		if verdict != "ok" {
			t.Error(verdict)
		}
		var vacuum int
		err := tx.Row(`PRAGMA auto_vacuum`, nil, &vacuum)
		if vacuum != 0 {
			t.Error("auto-vacuum is on: its pages must not be taken for trees")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
