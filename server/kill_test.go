package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"elowen/shared/api"
)

// victim is a server in a process of its own that is killed and started again.
type victim struct {
	t     *testing.T
	data  string
	addr  string
	token string
	cmd   *exec.Cmd
	said  bytes.Buffer
}

func (v *victim) start() {
	v.t.Helper()
	v.cmd = exec.Command("elowen", "serve", "--addr", v.addr, "--data", v.data)
	v.cmd.Stdout, v.cmd.Stderr = &v.said, &v.said
	if err := v.cmd.Start(); err != nil {
		v.t.Fatal(err)
	}
	for deadline := time.Now().Add(60 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		a, err := http.Get("http://" + v.addr + api.PathReady)
		if err == nil {
			a.Body.Close()
			if a.StatusCode == http.StatusOK {
				return
			}
		}
		if time.Now().After(deadline) {
			v.kill()
			v.t.Fatalf("the server doesn't start: %v\n%s", err, v.said.String())
		}
	}
}

func (v *victim) kill() {
	_ = v.cmd.Process.Kill()
	_ = v.cmd.Wait()
}

// run runs another command on the data.
func (v *victim) run(input string, args ...string) string {
	v.t.Helper()
	cmd := exec.Command("elowen", append(args, "--data", v.data)...)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil {
		v.t.Fatalf("elowen %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// write is one memory that somebody wants kept, however often they must ask.
type write struct {
	body, key string
	acked     bool
}

// send asks once. It tells whether the answer was that it is kept.
func (v *victim) send(w *write) bool {
	text, _ := json.Marshal(api.MemoryAdd{Body: w.body})
	req, err := http.NewRequest(http.MethodPost, "http://"+v.addr+api.PathMemory, bytes.NewReader(text))
	if err != nil {
		panic(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+v.token)
	req.Header.Set(api.HeaderIdempotency, w.key)
	a, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	defer a.Body.Close()
	var m api.MemoryAdded
	if json.NewDecoder(a.Body).Decode(&m) != nil {
		return false // cut off in the middle: not known, so to be asked again
	}
	if a.StatusCode != http.StatusCreated {
		v.t.Errorf("%q was answered with %d", w.body, a.StatusCode)
	}
	if m.Body != w.body {
		v.t.Errorf("%q was answered as %q", w.body, m.Body)
	}
	return true
}

// The server is killed at random instants under a stream of writes. Each time the
// store is whole, and at each time every write that was acknowledged is there,
// once; those that were not are asked for again after the restart, and are there
// once then.
func TestKilledUnderWrites(t *testing.T) {
	rounds := 20
	if os.Getenv("ELOWEN_SOAK") == "1" {
		rounds = 200
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free.Close()
	v := &victim{t: t, data: filepath.Join(t.TempDir(), "data"), addr: free.Addr().String()}
	v.run("a long enough password\n", "admin", "user", "add", "anna", "--password-stdin")
	v.token = strings.TrimSpace(v.run("", "admin", "token", "create", "--user", "anna"))

	const writers = 4
	var all, open []*write // open: asked for, and not answered
	for round := range rounds {
		v.start()
		var mu sync.Mutex
		var work sync.WaitGroup
		retry := open
		open = nil
		for n := range writers {
			work.Go(func() {
				for i := 0; ; i++ {
					mu.Lock()
					var w *write
					if len(retry) > 0 {
						w, retry = retry[0], retry[1:]
					} else {
						w = &write{body: fmt.Sprintf("Round %d, writer %d, note %d.", round, n, i), key: fmt.Sprintf("%d-%d-%d", round, n, i)}
						all = append(all, w)
					}
					mu.Unlock()
					ok := v.send(w)
					mu.Lock()
					if w.acked = ok; !ok {
						open = append(open, w)
					}
					mu.Unlock()
					if !ok {
						return
					}
				}
			})
		}
		time.Sleep(time.Duration(random.Int64N(int64(250 * time.Millisecond))))
		v.kill()
		work.Wait()
		open = append(open, retry...)
		v.run("", "admin", "verify")
		v.check(all, round)
	}
	v.start()
	for _, w := range open {
		if w.acked = v.send(w); !w.acked {
			t.Errorf("%q is not taken by a server that lives", w.body)
		}
	}
	v.kill()
	v.check(all, rounds)
	if len(all) < rounds {
		t.Errorf("only %d writes", len(all))
	}
	t.Logf("%d writes over %d kills", len(all), rounds)
}

// check compares the store with what was acknowledged.
func (v *victim) check(all []*write, round int) {
	v.t.Helper()
	found := map[string]int{}
	for line := range strings.Lines(v.run("", "admin", "export", "-", "--user", "anna")) {
		var l api.Line
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			v.t.Fatalf("export: %v in %q", err, line)
		}
		if l.Type == api.LineMemory {
			found[l.Body]++
		}
	}
	for _, w := range all {
		n := found[w.body]
		delete(found, w.body)
		if n > 1 || w.acked && n != 1 {
			v.t.Errorf("after kill %d: %q is there %d times, acknowledged: %v", round+1, w.body, n, w.acked)
		}
	}
	for body := range found {
		v.t.Errorf("after kill %d: nobody wrote %q", round+1, body)
	}
}
