package output

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/delivery"
	"elowen/server/journal"
	"elowen/server/tool"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// teller is a tool that answers what the test wants.
type teller struct{ out tool.Outcome }

func (t teller) Offers(context.Context, tool.Place) ([]tool.Offer, error) {
	return []tool.Offer{{Name: "Tell"}}, nil
}

func (t teller) Run(_ context.Context, _ tool.Place, name string, _ []byte) (tool.Outcome, bool) {
	return t.out, name == "Tell"
}

func at(owner db.AccountID, conversation int64) tool.Place {
	return tool.Place{Owner: owner, Conversation: conversation, Call: tool.Call{
		Identify: func(context.Context) (account.Identity, error) { return account.Identity{Owner: owner}, nil },
	}}
}

func emitted(id int64, element string) delivery.Emitted {
	return delivery.Emitted{Delivery: journal.Delivery{Memory: id, BodyHash: fmt.Sprint("h", id)}, Element: element}
}

func ids(list []delivery.Emitted) string {
	var out []string
	for _, e := range list {
		out = append(out, fmt.Sprint(e.Memory))
	}
	return strings.Join(out, " ")
}

func call(t *testing.T, k *Kit, at tool.Place, name, args string) tool.Outcome {
	t.Helper()
	out, ok := k.Run(context.Background(), at, name, []byte(args))
	if !ok {
		t.Fatalf("there is no tool %s", name)
	}
	return out
}

// A long output is shown in part and kept whole; a memory counts where it stands whole,
// first in the preview, later in what is read on.
func TestALongOutputIsKeptAndReadOn(t *testing.T) {
	dir := t.TempDir()
	element := func(id int) string {
		return fmt.Sprintf("<memory id=\"%d\">%s</memory>", id, strings.Repeat("é", 400))
	}
	var text strings.Builder
	var list []delivery.Emitted
	for id := 1; id <= 100; id++ {
		text.WriteString(element(id) + "\n")
		list = append(list, emitted(int64(id), element(id)))
	}
	k := Bounded(teller{tool.Outcome{Text: text.String(), Object: 1, Emitted: list}}, New(dir, nil))
	out := call(t, k, at(1, 2), "Tell", "")
	if most := setting.Int("output.shown"); len(out.Text) > most || len(out.Text) < most*9/10 || out.Object != nil {
		t.Errorf("%d bytes are shown", len(out.Text))
	}
	seen := map[int64]bool{}
	count := func(out tool.Outcome) {
		t.Helper()
		for _, e := range out.Emitted {
			seen[e.Memory] = true
		}
		for _, e := range list {
			if is, told := strings.Contains(out.Text, e.Element), strings.Contains(" "+ids(out.Emitted)+" ", fmt.Sprintf(" %d ", e.Memory)); is != told {
				t.Errorf("memory %d stands there: %v; told: %v", e.Memory, is, told)
			}
		}
	}
	count(out)
	if n := len(seen); n == 0 || n == 100 || !seen[1] || !seen[100] || seen[50] {
		t.Errorf("%d memories are shown", n)
	}
	read, offset := "", 0
	for n := 0; n < 20; n++ {
		out = call(t, k, at(1, 2), ReadOutput, fmt.Sprintf(`{"id": "1", "offset": %d, "limit": 9999}`, offset))
		count(out)
		piece, _, _ := strings.Cut(out.Text, "\n[The bytes ")
		read += piece
		if offset = len(read); !strings.Contains(out.Text, fmt.Sprintf(`"offset": %d}.]`, offset)) {
			break
		}
	}
	if read != text.String() {
		t.Errorf("%d bytes were read of %d", len(read), text.Len())
	}
	for name, mode := range map[string]fs.FileMode{"": 0o700, "1": 0o700, "1/2": 0o700, "1/2/1.txt": 0o600, "1/2/1.json": 0o600} {
		if info, err := os.Stat(filepath.Join(dir, DirName, name)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
	// Nobody else's, and nothing that isn't there.
	for _, c := range []struct {
		at   tool.Place
		args string
	}{
		{at(2, 2), `{"id":1}`}, {at(1, 3), `{"id":1}`}, {at(1, 2), `{"id":2}`}, {at(1, 2), `{"id":1,"offset":999999}`}, {at(1, 2), `{"id":1,"offset":-1}`},
		{at(1, 2), `{"id":1,"limit":0}`}, {at(1, 2), `{"id":"../1"}`}, {at(1, 2), `{}`}, {at(1, 2), `{"id":1,"path":"/"}`}, {at(1, 2), `[`},
	} {
		if out := call(t, k, c.at, ReadOutput, c.args); !out.Failed || strings.Contains(out.Text, "é") {
			t.Errorf("%s: %+v", c.args, out)
		}
	}
	refused := at(1, 2)
	refused.Identify = func(context.Context) (account.Identity, error) {
		return account.Identity{}, fault.New(fault.Unauthenticated, "Gone.")
	}
	if out := call(t, k, refused, ReadOutput, `{"id":1}`); !out.Failed {
		t.Errorf("%+v", out)
	}
}

// A body that holds what a note of ours would say isn't completed by one.
func TestAnOutputThatForgesTheNote(t *testing.T) {
	most := setting.Int("output.shown")
	dir := t.TempDir()
	text := strings.Repeat("x", 3*most)
	first := call(t, Bounded(teller{tool.Outcome{Text: text}}, New(dir, nil)), at(1, 1), "Tell", "")
	// The same note will stand there again, but for its number: the whole is an element.
	forged := strings.Replace(first.Text, `"id": 1`, `"id": 2`, 1)
	out := call(t, Bounded(teller{tool.Outcome{Text: text, Emitted: []delivery.Emitted{emitted(7, forged)}}}, New(dir, nil)), at(1, 1), "Tell", "")
	if out.Text != forged || len(out.Emitted) != 0 {
		t.Errorf("%d memories count, and the text is the forged one: %v", len(out.Emitted), out.Text == forged)
	}
}

func TestShortOutputsAreLeftAlone(t *testing.T) {
	dir := t.TempDir()
	want := tool.Outcome{Text: "short", Object: 1, Emitted: []delivery.Emitted{emitted(1, "nowhere")}}
	k := Bounded(teller{want}, New(dir, nil))
	if out := call(t, k, at(1, 1), "Tell", ""); out.Text != "short" || out.Object != 1 || len(out.Emitted) != 1 {
		t.Errorf("%+v", out)
	}
	if _, err := os.Stat(filepath.Join(dir, DirName)); !errors.Is(err, fs.ErrNotExist) {
		t.Error("something was kept")
	}
	if _, ok := k.Run(context.Background(), at(1, 1), "Nothing", nil); ok {
		t.Error("a tool that isn't there ran")
	}
	if list, err := k.Offers(context.Background(), at(1, 1)); err != nil || len(list) != 2 || list[1].Name != ReadOutput {
		t.Errorf("%v %v", list, err)
	}
	// Where nothing can be kept the rest of it is the same.
	if err := os.WriteFile(filepath.Join(dir, DirName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	k = Bounded(teller{tool.Outcome{Text: strings.Repeat("x", 1<<20)}}, New(dir, nil))
	if out := call(t, k, at(1, 1), "Tell", ""); out.Failed || !strings.Contains(out.Text, "could not be kept") || len(out.Text) > setting.Int("output.shown") {
		t.Errorf("%.200s", out.Text)
	}
}

func TestKeptOutputsAreBoundedAndGo(t *testing.T) {
	dir := t.TempDir()
	s := New(dir, nil)
	keep := func(owner db.AccountID, conversation int64, size int) (int64, bool) {
		t.Helper()
		id, whole, err := s.Keep(context.Background(), owner, conversation, strings.Repeat("é", size/2), nil)
		if err != nil {
			t.Fatal(err)
		}
		return id, whole
	}
	is := func(owner db.AccountID, conversation, id int64, want bool) {
		t.Helper()
		if _, err := s.Read(owner, conversation, id, 0, 10); (err == nil) != want || err != nil && !fault.Is(err, fault.NotFound) {
			t.Errorf("output %d of %d/%d: %v", id, owner, conversation, err)
		}
	}
	files := int64(setting.Int("output.files"))
	for n := range files + 3 {
		if id, whole := keep(1, 1, 10); id != n+1 || !whole {
			t.Fatalf("%d %v", id, whole)
		}
	}
	is(1, 1, 3, false)
	is(1, 1, 4, true)
	is(1, 1, files+3, true)
	if id, whole := keep(1, 2, setting.Int("output.file")+2); id != 1 || whole {
		t.Error("a file is longer than it may be")
	}
	for range setting.Int("output.account")/setting.Int("output.file") - 1 {
		keep(1, 3, setting.Int("output.file"))
	}
	is(1, 1, files+3, false) // the oldest made room
	is(1, 2, 1, true)
	is(1, 3, 1, true)
	keep(1, 3, 100)
	is(1, 2, 1, false)
	keep(2, 1, 10)
	is(2, 1, 1, true)
	if err := s.Remove(1, 3); err != nil {
		t.Fatal(err)
	}
	is(1, 3, 1, false)
	keep(1, 4, 10)
	if err := s.Tidy(func(owner db.AccountID, conversation int64) (bool, error) { return owner == 2, nil }); err != nil {
		t.Fatal(err)
	}
	is(1, 4, 1, false)
	is(2, 1, 1, true)
	if err := s.EraseAccount(2); err != nil {
		t.Fatal(err)
	}
	is(2, 1, 1, false)
	if err := New(t.TempDir(), nil).Remove(1, 1); err != nil {
		t.Error(err)
	}
}

// What comes to its end after what it belongs to was removed is not kept.
func TestNothingComesBack(t *testing.T) {
	for range 50 {
		dir := t.TempDir()
		s := New(dir, nil)
		k := Bounded(teller{tool.Outcome{Text: strings.Repeat("x", 1<<18)}}, s)
		ctx, end := context.WithCancel(context.Background())
		var work sync.WaitGroup
		for conversation := range int64(4) {
			work.Go(func() { k.Run(ctx, at(1, conversation), "Tell", nil) })
		}
		end()
		if err := s.EraseAccount(1); err != nil {
			t.Fatal(err)
		}
		work.Wait()
		if out, ok := k.Run(ctx, at(1, 1), "Tell", nil); !ok || len(out.Text) > setting.Int("output.shown") {
			t.Errorf("%d bytes", len(out.Text))
		}
		if _, err := os.Stat(filepath.Join(dir, DirName, "1")); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("something of it is there: %v", err)
		}
	}
}

// A link that somebody put there leads nowhere.
func TestNoLinkLeadsOut(t *testing.T) {
	dir := t.TempDir()
	s := New(dir, nil)
	if _, _, err := s.Keep(context.Background(), 1, 1, "a", nil); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("hidden"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(dir, DirName, "1/1/9.txt")); err != nil {
		t.Fatal(err)
	}
	if p, err := s.Read(1, 1, 9, 0, 10); err == nil || strings.Contains(p.Text, "hidden") {
		t.Errorf("%+v %v", p, err)
	}
}
