package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"
	_ "github.com/ncruces/go-sqlite3/driver" // its version is asked for
)

// Machine is where and of what a table was made.
type Machine struct {
	Commit     string  `json:"commit"`
	Go         string  `json:"go"`
	CPU        string  `json:"cpu"`
	Cores      int     `json:"cores"`
	System     string  `json:"system"`
	Peer       string  `json:"peer"`       // what the baselines are made with
	SyncMillis float64 `json:"syncMillis"` // writing 4 kB to the store's disk and waiting for it, median
	Load       string  `json:"load"`       // others on the machine: the load average before
}

func machine(dir string) Machine {
	m := Machine{
		Commit: commit(), Go: runtime.Version(), CPU: cpuModel(), Cores: runtime.NumCPU(),
		System: runtime.GOOS + "/" + runtime.GOARCH, Load: load(), SyncMillis: syncTime(dir).median(),
	}
	m.Peer = "SQLite with FTS5"
	if v, err := sqliteVersion(); err == nil {
		m.Peer = "SQLite " + v + " with FTS5"
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			if d.Path == "github.com/ncruces/go-sqlite3" {
				m.Peer += ", ncruces " + d.Version
			}
		}
	}
	return m
}

func commit() string {
	out, err := exec.Command("git", "describe", "--tags", "--always", "--dirty").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

func sqliteVersion() (string, error) {
	c, err := sqlite3.Open(":memory:")
	if err != nil {
		return "", err
	}
	defer c.Close()
	s, _, err := c.Prepare("SELECT sqlite_version()")
	if err != nil {
		return "", err
	}
	defer s.Close()
	s.Step()
	return s.ColumnText(0), s.Err()
}

func cpuModel() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown CPU"
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		name, value, ok := strings.Cut(s.Text(), ":")
		if name = strings.TrimSpace(name); ok && (name == "model name" || name == "Model") {
			return strings.TrimSpace(value)
		}
	}
	return "unknown CPU"
}

// load is the system's load average over the last minute.
func load() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(b), " ")
	return first
}

// syncTime is how long the disk takes for a small durable write, in milliseconds.
func syncTime(dir string) sample {
	f, err := os.Create(filepath.Join(dir, "sync"))
	if err != nil {
		return nil
	}
	defer os.Remove(f.Name())
	defer f.Close()
	page := make([]byte, 4096)
	var s sample
	for range 40 {
		began := time.Now()
		if _, err := f.Write(page); err != nil {
			return s
		}
		if err := f.Sync(); err != nil {
			return s
		}
		s = append(s, millis(time.Since(began)))
	}
	return s
}

// hertz is how often a second the kernel's own counting of time goes on, on all
// that Go runs on.
const hertz = 100

// watchOthers begins to watch what other programs take of the machine; the function
// that it gives answers which part that was, negative where it cannot be told.
func watchOthers() func() float64 {
	busy, all, err := ticks()
	own := cpu() + childrenCPU()
	if err != nil {
		return func() float64 { return -1 }
	}
	return func() float64 {
		busyNow, allNow, err := ticks()
		if err != nil || allNow <= all {
			return -1
		}
		mine := (cpu() + childrenCPU() - own).Seconds() * hertz
		return max(0, (busyNow-busy-mine)/(allNow-all))
	}
}

// ticks are the kernel's counts of all cores: busy, and altogether.
func ticks() (busy, all float64, err error) {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, 0, err
	}
	first, _, _ := strings.Cut(string(b), "\n")
	for i, field := range strings.Fields(first)[1:] {
		n, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return 0, 0, err
		}
		if i > 7 { // time of guests is in the user time already
			break
		}
		all += n
		if i != 3 && i != 4 { // idle, and idle while waiting for the disk
			busy += n
		}
	}
	return busy, all, nil
}
