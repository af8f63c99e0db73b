package doctor

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"elowen/server/db"
	"elowen/server/late"
	"elowen/server/lexicon"
	"elowen/server/transcript"
	"elowen/shared/api"
)

// Storage measures what takes up room. The store must be open.
func Storage(ctx context.Context, p Patient) (api.Storage, error) {
	out := api.Storage{Directory: p.Dir, File: p.DB.File(), Engine: p.DB.Engine()}
	err := p.DB.View(ctx, func(tx *db.Tx) error {
		use, err := tx.Use()
		if err != nil {
			return err
		}
		out.Database, out.Free = use.File, use.Free
		if out.Words, err = lexicon.Size(tx); err != nil {
			return err
		}
		if out.Tokens, err = late.Size(tx); err != nil {
			return err
		}
		turns, err := transcript.TokenBytes(tx)
		out.Tokens += turns
		return err
	})
	if err != nil {
		return out, err
	}
	out.Log = bytesOf(p.DB.File() + "-wal")
	out.Backups = below(p.Backups)
	entries, _ := os.ReadDir(p.Dir) // what can't be read takes no room that is known
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), db.FileName+".before-restore-") {
			out.Aside += bytesOf(filepath.Join(p.Dir, e.Name()))
		}
	}
	if free, ok := FreeBytes(p.Dir); ok {
		out.Room = &free
	}
	return out, nil
}

func bytesOf(file string) int64 {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

// below is the size of all files in a folder.
func below(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			n += bytesOf(path)
		}
		return nil // a file that went away meanwhile takes no room
	})
	return n
}

// Size writes a number of bytes for people.
func Size(n int64) string {
	const unit = 1024
	if n < unit {
		return fmt.Sprintf("%d bytes", n)
	}
	value, name := float64(n)/unit, "KiB"
	for _, next := range []string{"MiB", "GiB", "TiB"} {
		if value < unit {
			break
		}
		value, name = value/unit, next
	}
	return fmt.Sprintf("%.1f %s", value, name)
}
