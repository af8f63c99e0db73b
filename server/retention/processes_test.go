package retention

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/shared/api"
)

// sweeperMain is a process that opens the store, says so, waits for its standard
// input to end, sweeps, and tells how many it moved.
func sweeperMain(how string) int {
	dir, clock, _ := strings.Cut(how, "\n")
	now, err := strconv.ParseInt(clock, 10, 64)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	ctx := context.Background()
	d, err := db.Open(ctx, db.Config{Dir: dir, Clock: func() int64 { return now }, NoCreate: true})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer d.Close()
	_, _, store := nouns(d)
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	swept, err := store.Sweep(ctx)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(swept.Total().Trashed)
	return 0
}

// together starts n sweeping processes and lets them all go at once. It answers
// how many memories they moved.
func together(t *testing.T, n int, dir string, now int64) int {
	t.Helper()
	type process struct {
		cmd *exec.Cmd
		in  io.WriteCloser
		out *bufio.Reader
	}
	list := make([]process, n)
	for i := range list {
		cmd := exec.Command(os.Args[0], "-test.run=^$")
		cmd.Env = append(os.Environ(), sweeper+"="+dir+"\n"+strconv.FormatInt(now, 10))
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		list[i] = process{cmd, in, bufio.NewReader(out)}
	}
	for _, p := range list {
		if line, err := p.out.ReadString('\n'); line != "ready\n" {
			t.Fatalf("a process said %q %v", line, err)
		}
	}
	for _, p := range list {
		p.in.Close()
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	moved := 0
	for _, p := range list {
		all.Go(func() {
			line, _ := p.out.ReadString('\n')
			err := p.cmd.Wait()
			mu.Lock()
			defer mu.Unlock()
			n, bad := strconv.Atoi(strings.TrimSpace(line))
			if err != nil || bad != nil {
				t.Errorf("a process said %q (%v)", line, err)
			}
			moved += n
		})
	}
	all.Wait()
	return moved
}

// Eight processes sweep at the same time, three times over, each time started
// anew: together they move exactly the limit. A lower limit counts what went
// before it; a day later there is a whole limit again; what was used stays.
func TestEightProcessesKeepTheLimit(t *testing.T) {
	dir := t.TempDir()
	clock := dbtest.NewClock(dbtest.Start)
	start := func() *house {
		d, err := db.Open(context.Background(), db.Config{Dir: dir, Clock: clock.Now})
		if err != nil {
			t.Fatal(err)
		}
		return open(t, d)
	}
	h := start()
	anna := h.person("anna")
	h.old(anna, 100, 300, 5)
	h.d.Close()

	expect := func(when string, deleted int) *house {
		t.Helper()
		h := start()
		if a, d := h.status(anna); d != deleted || a != 100-deleted {
			t.Errorf("%s: %d deleted, %d active; want %d deleted", when, d, a, deleted)
		}
		return h
	}
	moved := 0
	for range 3 {
		moved += together(t, 8, dir, clock.Now())
	}
	if moved != 5 {
		t.Errorf("they say that they moved %d", moved)
	}
	h = expect("three times over", 5)

	h.save(api.PolicyChange{DailyDeletionLimit: api.Ptr(3.0)})
	h.d.Close()
	together(t, 8, dir, clock.Now()+1000)
	h = expect("with a lower limit", 5)

	h.save(api.PolicyChange{DailyDeletionLimit: api.Ptr(5.0)})
	var urgent []int64
	err := h.d.View(context.Background(), func(tx *db.Tx) error {
		terms, err := h.settings.Terms(tx)
		if err != nil {
			return err
		}
		for c, err := range h.memories.Due(tx, anna, terms, clock.Now()+day) {
			if urgent = append(urgent, c.ID); err != nil || len(urgent) == 2 {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	clock.Advance(day)
	if _, err := h.memories.MarkRecalled(context.Background(), anna, urgent); err != nil {
		t.Fatal(err)
	}
	h.d.Close()
	for range 3 {
		together(t, 8, dir, clock.Now())
	}
	h = expect("a day later", 10)
	defer h.d.Close()
	for _, id := range urgent {
		if m, err := h.memories.Get(context.Background(), anna, id); err != nil || m.Status != api.StatusActive {
			t.Errorf("used, and yet %+v %v", m, err)
		}
	}
}
