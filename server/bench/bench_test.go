package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"elowen/assets"
)

// Every line at a size that says nothing, so that the program still works when
// somebody asks for the figures.
func TestEveryLine(t *testing.T) {
	var out, log bytes.Buffer
	args := []string{"-scale", "0.002", "-runs", "1", "-json", "-dir", t.TempDir()}
	chosen := lines()
	if testing.Short() { // with the race detector: those that have goroutines here
		const only = "add,import,plan,live"
		args = append(args, "-only", only)
		chosen, _ = choose(only)
	}
	if code := run(context.Background(), args, &out, &log); code != 0 {
		t.Fatalf("exit %d\n%s", code, log.String())
	}
	var got table
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Machine.Cores < 1 || got.Machine.Go == "" || got.Machine.Commit == "" {
		t.Errorf("the machine is %+v", got.Machine)
	}
	measured := map[string]int{}
	for _, f := range got.Figures {
		switch {
		case f.Failed:
			t.Errorf("%s: %s", f.Line, f.Note)
		case strings.HasPrefix(f.Note, "not measured") && lacking(f.Line):
			t.Logf("%s: %s", f.Line, f.Note)
			measured[f.Line]++
		case f.Runs == 0:
			t.Errorf("%s, %s: no figure, %s", f.Line, f.What, f.Note)
		case f.Value < 0 || f.Value == 0 && !mayBeNothing(f):
			t.Errorf("%s, %s: %v %s", f.Line, f.What, f.Value, f.Unit)
		case f.Goal != nil && f.Met == nil:
			t.Errorf("%s, %s: not judged", f.Line, f.What)
		default:
			measured[f.Line]++
		}
		if strings.Contains(f.Note, "LOST") {
			t.Errorf("%s, %s: %s", f.Line, f.What, f.Note)
		}
	}
	for _, l := range chosen {
		if measured[l.name] == 0 {
			t.Errorf("%s: no figure", l.name)
		}
	}
	var text strings.Builder
	if err := got.print(&text); err != nil {
		t.Fatal(err)
	}
	for _, f := range got.Figures {
		if !strings.Contains(text.String(), f.What) {
			t.Errorf("the printed table lacks %q", f.What)
		}
	}
}

// lacking tells whether this machine lacks what a line needs: the built browser
// program, or Chromium, which build.sh test has both.
func lacking(name string) bool {
	switch name {
	case "wasm":
		return !assets.Built()
	case "mcp":
		_, err := os.Stat("../embedding/local/weight/built/e5-small-q4.bin")
		return err != nil
	case "page", "keys", "map":
		return !assets.Built() || noChromium()
	}
	return false
}

func noChromium() bool {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome-stable", "google-chrome"} {
		if _, err := exec.LookPath(name); err == nil {
			return false
		}
	}
	return true
}

func TestFlags(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"-list", 0, "history"},
		{"-only nothing", 2, "there is no line"},
		{"-scale 0", 2, "the scale"},
		{"-runs 0", 2, "the runs"},
		{"-only wasm more", 2, "no arguments"},
		{"-unknown", 2, "not defined"},
		{"-only wasm -runs 1", 0, "wasm"},
	} {
		var out bytes.Buffer
		if code := run(context.Background(), strings.Fields(c.args), &out, &out); code != c.code || !strings.Contains(out.String(), c.says) {
			t.Errorf("%s: exit %d\n%s", c.args, code, out.String())
		}
	}
}

func TestShort(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 3: "3", 0.5: "0.50", 1.234: "1.23", 12.34: "12.3", 123.4: "123", 1234.5: "1,234", 1234567: "1,234,567", -1234: "-1,234",
		0.04123: "0.041", 15000: "15,000", 10: "10", 999.7: "1000",
	} {
		if got := short(v); got != want {
			t.Errorf("%v is written %s, not %s", v, got, want)
		}
	}
}

func TestSample(t *testing.T) {
	s := sample{5, 1, 3}
	if s.median() != 3 || s.at(0) != 1 || s.at(1) != 5 || s.at(0.5) != 3 {
		t.Errorf("median %v, %v to %v", s.median(), s.at(0), s.at(1))
	}
	if m := (sample{1, 2}).median(); m != 1.5 {
		t.Errorf("median of two is %v", m)
	}
	var many sample
	for i := range 1000 {
		many = append(many, float64(999-i))
	}
	if p := many.at(0.99); p != 990 {
		t.Errorf("99%% of 0 … 999 is %v", p)
	}
	met := of("x", "ms", s).to(below(3.5)).against("y", sample{6}).judged()
	if met.Met == nil || !*met.Met || met.Baseline.Ratio != 0.5 {
		t.Errorf("judged %+v", met)
	}
	if missed := of("x", "/s", s).to(above(3.5)).judged(); missed.Met == nil || *missed.Met {
		t.Errorf("judged %+v", missed)
	}
}

// mayBeNothing tells figures that are zero where there is little work: the kernel
// counts a few microseconds as nothing, and a small plan fits into the heap that
// is there.
func mayBeNothing(f figure) bool {
	return f.Line == "mcp" || strings.Contains(f.Unit, "CPU") || strings.Contains(f.What, "beyond what was there")
}
