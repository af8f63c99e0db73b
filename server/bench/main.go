// Command bench measures the speed and size of elowen and prints one table:
// what was measured, the figure, the goal, whether it is met, and where there is
// a peer for the same work, the ratio to it, measured in the same run on the same
// machine. `./build.sh bench` runs it; -h lists the lines and the flags.
//
// # Concepts
//
// A line is one piece of work on a store, a server or a page; it gives one or more
// figures. A figure is the median of several runs, with the lowest and highest
// beside it. Where the goal is one of effort, the figure is CPU time (user and
// system, of the whole process, the collector's too), which other programs on the
// machine disturb less than the clock; where it is one of pace, it is the clock.
//
// The stores hold a made-up corpus: sentences with English small words, a few
// hundred common words and a long tail, as frequent as words are. It is the same
// at every run. Everything is in a throwaway directory.
//
// Lines of a whole server run the program itself in a process of its own, as
// people do; those of the page run a real Chromium. What a machine lacks (Chromium,
// the built browser program) is said in the table, not hidden.
//
// # What it does not do
//
// It tests nothing: a figure that misses its goal is no error of the program, so
// it exits with 0. The quality of recall is another table: `bench recall` (recall.go).
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is the program; it answers the exit code.
func run(ctx context.Context, args []string, out, log io.Writer) int {
	if len(args) > 0 && args[0] == "recall" {
		return recallRun(ctx, args[1:], out, log)
	}
	b := &bench{log: log}
	var only string
	var asJSON, list bool
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(log)
	f.StringVar(&only, "only", "", "comma-separated `names` of the lines to measure (all)")
	f.Float64Var(&b.scale, "scale", 1, "`factor` for the sizes; below 1 only shows that the program works")
	f.IntVar(&b.runs, "runs", 3, "`times` that each work is done; the figure is the median")
	f.StringVar(&b.temp, "dir", "", "`directory` for the throwaway stores (the system's)")
	f.StringVar(&b.profiles, "profile", "", "`directory` for a CPU profile of each line")
	f.StringVar(&b.program, "program", "", "`path` of an elowen program to run as the server (built from here)")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	f.BoolVar(&list, "list", false, "list the lines and end")
	if err := f.Parse(args); err != nil {
		return 2
	}
	if list {
		for _, l := range lines() {
			fmt.Fprintf(out, "%-12s %s\n", l.name, l.about)
		}
		return 0
	}
	chosen, err := choose(only)
	if err == nil && (b.scale <= 0 || b.scale > 10 || b.runs < 1 || f.NArg() > 0) {
		err = fmt.Errorf("the scale is above 0 and at most 10, the runs at least 1, and there are no arguments")
	}
	if err != nil {
		fmt.Fprintln(log, "bench:", err)
		return 2
	}
	t, err := b.measure(ctx, chosen)
	if err != nil {
		fmt.Fprintln(log, "bench:", err)
		return 1
	}
	if asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		err = e.Encode(t)
	} else {
		err = t.print(out)
	}
	if err != nil {
		fmt.Fprintln(log, "bench:", err)
		return 1
	}
	return 0
}

// choose picks lines by name, in the order of the table.
func choose(only string) ([]line, error) {
	if only == "" {
		return lines(), nil
	}
	wanted := map[string]bool{}
	for _, name := range strings.Split(only, ",") {
		wanted[strings.TrimSpace(name)] = true
	}
	var list []line
	for _, l := range lines() {
		if wanted[l.name] {
			list = append(list, l)
			delete(wanted, l.name)
		}
	}
	for name := range wanted {
		return nil, fmt.Errorf("there is no line %q; -list names them", name)
	}
	return list, nil
}
