package output

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"elowen/server/db"
	"elowen/server/delivery"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// DirName is the folder of kept outputs in a data directory.
const DirName = "outputs"

// Store keeps outputs as files. It is safe for concurrent use.
type Store struct {
	dir string
	log *slog.Logger

	mu sync.Mutex // of what makes and removes files
}

// New makes the store below a data directory. Nothing is made before something is kept.
func New(dir string, log *slog.Logger) *Store {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Store{dir: filepath.Join(dir, DirName), log: log}
}

// folder is where a conversation's outputs are, below the store's own folder.
func folder(owner db.AccountID, conversation int64) string {
	return path.Join(strconv.FormatInt(int64(owner), 10), strconv.FormatInt(conversation, 10))
}

// kept is what is known of an output beside its text.
type kept struct {
	Emitted []delivery.Emitted `json:"emitted"`
}

const (
	textEnd = ".txt"
	restEnd = ".json"
)

// Keep keeps an output of a conversation, and gives its number. What is longer than a
// file may be is kept as far as it goes; whole tells. Errors: Unavailable; Cancelled where
// ctx has ended. So whoever ends what runs in a conversation, and then removes what it has
// here, has removed it for good, however late a tool of it comes to its end.
func (s *Store) Keep(ctx context.Context, owner db.AccountID, conversation int64, text string, emitted []delivery.Emitted) (id int64, whole bool, err error) {
	if most := setting.Int("output.file"); len(text) > most {
		text = text[:before(text, most)]
	} else {
		whole = true
	}
	rest, err := json.Marshal(kept{emitted})
	if err != nil {
		return 0, false, fault.Wrap(fault.Internal, err, "")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := ctx.Err(); err != nil { // asked with the lock held, which Remove takes too
		return 0, false, fault.Wrap(fault.Cancelled, err, "")
	}
	root, err := s.open(true)
	if err != nil {
		return 0, false, unavailable(err)
	}
	defer root.Close()
	in := folder(owner, conversation)
	if err := root.MkdirAll(in, 0o700); err != nil {
		return 0, false, unavailable(err)
	}
	there, err := numbers(root, in)
	if err != nil {
		return 0, false, unavailable(err)
	}
	id = 1
	if n := len(there); n > 0 {
		id = there[n-1] + 1
	}
	name := path.Join(in, strconv.FormatInt(id, 10))
	if err = write(root, name+restEnd, rest); err == nil {
		err = write(root, name+textEnd, []byte(text))
	}
	if err != nil {
		_ = root.Remove(name + restEnd)
		return 0, false, unavailable(err)
	}
	s.trim(root, owner, in, append(there, id))
	return id, whole, nil
}

// write makes a file, which is there whole or not at all.
func write(root *os.Root, name string, text []byte) error {
	part := name + ".part"
	err := root.WriteFile(part, text, 0o600)
	if err == nil {
		err = root.Rename(part, name)
	}
	if err != nil {
		_ = root.Remove(part)
	}
	return err
}

// trim removes the oldest outputs of a conversation that has too many, and the oldest of
// an account that has too much, but never the one that came last.
func (s *Store) trim(root *os.Root, owner db.AccountID, in string, there []int64) {
	for most := setting.Int("output.files"); len(there) > most; there = there[1:] {
		s.drop(root, path.Join(in, strconv.FormatInt(there[0], 10)))
	}
	newest := path.Join(in, strconv.FormatInt(there[len(there)-1], 10))
	type file struct {
		name string
		size int64
		at   int64
	}
	var files []file
	sum := int64(0)
	_ = fs.WalkDir(root.FS(), strconv.FormatInt(int64(owner), 10), func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(name, textEnd) {
			return nil
		}
		if info, err := e.Info(); err == nil {
			files = append(files, file{strings.TrimSuffix(name, textEnd), info.Size(), info.ModTime().UnixNano()})
			sum += info.Size()
		}
		return nil
	})
	slices.SortFunc(files, func(a, b file) int { return int(min(max(a.at-b.at, -1), 1)) })
	for _, f := range files {
		if sum <= int64(setting.Int("output.account")) {
			return
		}
		if f.name != newest {
			s.drop(root, f.name)
			sum -= f.size
		}
	}
}

func (s *Store) drop(root *os.Root, name string) {
	for _, end := range []string{textEnd, restEnd} {
		if err := root.Remove(name + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.log.Warn("a kept output could not be removed", "name", name, "error", err)
		}
	}
}

// numbers are those of a conversation's outputs, ascending.
func numbers(root *os.Root, in string) ([]int64, error) {
	entries, err := fs.ReadDir(root.FS(), in)
	if err != nil {
		return nil, err
	}
	var list []int64
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), textEnd)
		if n, err := strconv.ParseInt(name, 10, 64); ok && err == nil && n > 0 {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list, nil
}

// Piece is a part of a kept output.
type Piece struct {
	Text     string
	From, To int // its bytes
	Size     int // of the whole
	Emitted  []delivery.Emitted
}

// Read reads a part of a kept output: at most so many bytes from an offset on, in whole
// characters. Errors: NotFound where there is none of that number, or not any more;
// Invalid for an offset behind its end.
func (s *Store) Read(owner db.AccountID, conversation, id int64, offset, most int) (Piece, error) {
	none := fault.Newf(fault.NotFound, "There is no kept output %d in this conversation, or it had to make room. Run the tool again.", id)
	root, err := s.open(false)
	if errors.Is(err, fs.ErrNotExist) {
		return Piece{}, none
	}
	if err != nil {
		return Piece{}, unavailable(err)
	}
	defer root.Close()
	name := path.Join(folder(owner, conversation), strconv.FormatInt(id, 10))
	file, err := root.Open(name + textEnd)
	if errors.Is(err, fs.ErrNotExist) {
		return Piece{}, none
	}
	if err != nil {
		return Piece{}, unavailable(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return Piece{}, unavailable(err)
	}
	p := Piece{Size: int(info.Size())}
	if offset < 0 || offset > p.Size || offset == p.Size && p.Size > 0 {
		return Piece{}, fault.BadField("offset", "max", "", fmt.Sprintf("The output has %d bytes; give an offset below that.", p.Size))
	}
	// Three bytes more on either side, in which a character may begin or end.
	from := max(offset-3, 0)
	text := make([]byte, min(offset-from+most+3, p.Size-from))
	if _, err := file.ReadAt(text, int64(from)); err != nil && !errors.Is(err, io.EOF) {
		return Piece{}, unavailable(err)
	}
	begin := before(string(text), offset-from)
	end := before(string(text), min(begin+most, len(text)))
	p.Text, p.From, p.To = string(text[begin:end]), from+begin, from+end
	if rest, err := root.ReadFile(name + restEnd); err == nil {
		var k kept
		if json.Unmarshal(rest, &k) == nil {
			p.Emitted = within(p.Text, k.Emitted)
		}
	}
	return p, nil
}

// within are the memories whose elements stand whole in a text.
func within(text string, list []delivery.Emitted) []delivery.Emitted {
	var out []delivery.Emitted
	for _, e := range list {
		if e.Element != "" && strings.Contains(text, e.Element) {
			out = append(out, e)
		}
	}
	return out
}

// Remove removes what a conversation has here. It is no error where it has nothing.
func (s *Store) Remove(owner db.AccountID, conversation int64) error {
	return s.remove(folder(owner, conversation))
}

// EraseAccount removes everything of the account's here.
func (s *Store) EraseAccount(owner db.AccountID) error {
	return s.remove(strconv.FormatInt(int64(owner), 10))
}

func (s *Store) remove(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	root, err := s.open(false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unavailable(err)
	}
	defer root.Close()
	if err := root.RemoveAll(name); err != nil {
		return unavailable(err)
	}
	return nil
}

// Tidy removes what belongs to conversations that are not there any more, as there tells:
// those that were deleted while nobody could see to their files.
func (s *Store) Tidy(there func(owner db.AccountID, conversation int64) (bool, error)) error {
	root, err := s.open(false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unavailable(err)
	}
	defer root.Close()
	owners, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return unavailable(err)
	}
	for _, o := range owners {
		owner, err := strconv.ParseInt(o.Name(), 10, 64)
		if err != nil {
			continue
		}
		conversations, err := fs.ReadDir(root.FS(), o.Name())
		if err != nil {
			return unavailable(err)
		}
		for _, c := range conversations {
			conversation, err := strconv.ParseInt(c.Name(), 10, 64)
			if err != nil {
				continue
			}
			is, err := there(db.AccountID(owner), conversation)
			if err != nil {
				return err
			}
			if !is {
				if err := s.Remove(db.AccountID(owner), conversation); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// open opens the store's folder, beyond which nothing here leads.
func (s *Store) open(make bool) (*os.Root, error) {
	if make {
		if err := os.MkdirAll(s.dir, 0o700); err != nil {
			return nil, err
		}
	}
	return os.OpenRoot(s.dir)
}

func unavailable(err error) error {
	return fault.Wrap(fault.Unavailable, err, "Kept outputs can't be reached at the moment.")
}
