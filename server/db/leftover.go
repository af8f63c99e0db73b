package db

import (
	"encoding/binary"
	"sync"

	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"
)

// SQLite's secure_delete overwrites what is deleted where it stands. But when a
// page of a b-tree is split or rebuilt, copies of rows that moved on stay in the
// page's unused middle, and deleting those rows later doesn't reach them: words
// of purged texts were found there. The file layer below clears that middle of
// each page on its way into the database file, so the file never holds a leftover.
// The write-ahead log cannot be treated so, its frames have checksums; erase
// empties it, and the page cache with it.

// leftoverVFS is the name of that layer.
const leftoverVFS = "elowen-no-leftovers"

var registerLeftoverVFS = sync.OnceFunc(func() { vfs.Register(leftoverVFS, tidyVFS{vfs.Find("")}) })

type tidyVFS struct{ vfs.VFS }

// Open opens what isn't a database by name, such as a temporary file.
func (v tidyVFS) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	return vfsutil.WrapOpen(v.VFS, name, flags)
}

// OpenFilename opens a file, the database's own with the clearing around it.
func (v tidyVFS) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, flags, err := vfsutil.WrapOpenFilename(v.VFS, name, flags)
	if err != nil || flags&vfs.OPEN_MAIN_DB == 0 {
		return f, flags, err
	}
	return &tidyFile{File: f}, flags, nil
}

type tidyFile struct {
	vfs.File
	foreign bool // its pages may be of kinds that ours never has
}

// tidyMost bounds the place of a page that is cleared: up to there the first byte
// of a page that isn't a b-tree's (of an overflow or freelist page, the highest
// byte of a page number) can't be taken for the kind of one.
const tidyMost = 1 << 24

// WriteAt writes, after clearing the unused middle if it is a page of a b-tree.
// Nothing reads those bytes, so they may be cleared in SQLite's own memory.
func (f *tidyFile) WriteAt(p []byte, off int64) (int, error) {
	if size := int64(len(p)); size >= 512 && size&(size-1) == 0 && off%size == 0 {
		if off == 0 {
			// Auto-vacuum keeps pages of another kind. We never switch it on.
			f.foreign = binary.BigEndian.Uint32(p[52:]) != 0
		}
		if !f.foreign && off/size < tidyMost {
			clearMiddle(p, off == 0)
		}
	}
	return f.File.WriteAt(p, off)
}

// clearMiddle clears what is between the cell pointers and the cells of a b-tree's
// page; the first page has the file's header before that. Anything else is left.
// See the file format's "B-tree Pages".
func clearMiddle(page []byte, first bool) {
	at, size := 0, 8
	if first {
		at = 100
	}
	switch page[at] {
	case 2, 5: // interior: index, table
		size = 12
	case 10, 13: // leaf: index, table
	default:
		return
	}
	from := at + size + 2*int(binary.BigEndian.Uint16(page[at+3:]))
	to := int(binary.BigEndian.Uint16(page[at+5:]))
	if to == 0 {
		to = 1 << 16
	}
	if from <= to && to <= len(page) {
		clear(page[from:to])
	}
}

// The rest passes on what the layer below can do beside reading and writing.

func (f *tidyFile) Unwrap() vfs.File               { return f.File }
func (f *tidyFile) SharedMemory() vfs.SharedMemory { return vfsutil.WrapSharedMemory(f.File) }
func (f *tidyFile) LockState() vfs.LockLevel       { return vfsutil.WrapLockState(f.File) }
func (f *tidyFile) PersistWAL() bool               { return vfsutil.WrapPersistWAL(f.File) }
func (f *tidyFile) SetPersistWAL(keep bool)        { vfsutil.WrapSetPersistWAL(f.File, keep) }
func (f *tidyFile) PowersafeOverwrite() bool       { return vfsutil.WrapPowersafeOverwrite(f.File) }
func (f *tidyFile) SetPowersafeOverwrite(on bool)  { vfsutil.WrapSetPowersafeOverwrite(f.File, on) }
func (f *tidyFile) SizeHint(size int64) error      { return vfsutil.WrapSizeHint(f.File, size) }
func (f *tidyFile) HasMoved() (bool, error)        { return vfsutil.WrapHasMoved(f.File) }
func (f *tidyFile) BusyHandler(busy func() bool)   { vfsutil.WrapBusyHandler(f.File, busy) }
