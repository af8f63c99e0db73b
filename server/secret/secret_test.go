package secret_test

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"elowen/server/secret"
	"elowen/shared/fault"
)

func TestSealedIsOpenedByTheSameKeyAlone(t *testing.T) {
	dir := t.TempDir()
	file := secret.File(dir, func(string) (string, bool) { return "", false })
	b := secret.New(file)
	if _, err := b.Open("p", []byte("x")); !fault.Is(err, fault.Gone) {
		t.Errorf("without a key: %v", err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("opening made a key")
	}
	sealed, err := b.Seal("p", "sk-very-secret")
	if err != nil {
		t.Fatal(err)
	}
	again, err := b.Seal("p", "sk-very-secret")
	if err != nil || bytes.Equal(sealed, again) || bytes.Contains(sealed, []byte("secret")) {
		t.Error("sealing is not random", err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key's file: %v, %v", info.Mode(), err)
	}
	for range 2 { // also by another program
		if text, err := b.Open("p", sealed); err != nil || text != "sk-very-secret" {
			t.Errorf("%q, %v", text, err)
		}
		b = secret.New(file)
	}
	if _, err := b.Open("q", sealed); !fault.Is(err, fault.Gone) {
		t.Errorf("in another's place: %v", err)
	}
	for i := range sealed {
		bad := bytes.Clone(sealed)
		bad[i] ^= 1
		if _, err := b.Open("p", bad); !fault.Is(err, fault.Gone) {
			t.Fatalf("changed at %d: %v", i, err)
		}
		if _, err := b.Open("p", sealed[:i]); !fault.Is(err, fault.Gone) {
			t.Fatalf("cut at %d: %v", i, err)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	lost := secret.New(file)
	if _, err := lost.Open("p", sealed); !fault.Is(err, fault.Gone) {
		t.Errorf("a lost key: %v", err)
	}
	if _, err := lost.Seal("p", "another"); err != nil {
		t.Errorf("after the loss: %v", err)
	}
	if _, err := lost.Open("p", sealed); !fault.Is(err, fault.Gone) {
		t.Errorf("by the new key: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".secret-*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestAFileThatIsNoKeyIsLeftAlone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := secret.New(secret.File("/nowhere", func(string) (string, bool) { return file, true }))
	if _, err := b.Seal("p", "x"); !fault.Is(err, fault.Corrupt) {
		t.Errorf("sealed with it: %v", err)
	}
	if text, _ := os.ReadFile(file); string(text) != "something else" {
		t.Errorf("now it has %q", text)
	}
	if _, err := secret.New(filepath.Join(file, "below")).Seal("p", "x"); !fault.Is(err, fault.Unavailable) {
		t.Errorf("nowhere to write: %v", err)
	}
}

// Programs that start together agree on one key.
func TestOneKeyForAll(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	var wg sync.WaitGroup
	sealed := make([][]byte, 8)
	for i := range sealed {
		wg.Go(func() {
			var err error
			if sealed[i], err = secret.New(file).Seal("p", "text"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, s := range sealed {
		if text, err := secret.New(file).Open("p", s); err != nil || text != "text" {
			t.Errorf("%q, %v", text, err)
		}
	}
}
