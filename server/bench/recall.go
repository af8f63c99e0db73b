package main

import (
	"bufio"
	"context"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"elowen/server/embedding/local"
)

//go:embed testdata/foreign.txt
var foreignFile string

// recallRun measures how well memories are recalled: `./build.sh bench recall`. Its
// questions are LoCoMo's, from a file that is named, and those of the test's own
// facts in eight languages.
func recallRun(ctx context.Context, args []string, out, log io.Writer) int {
	f := flag.NewFlagSet("bench recall", flag.ContinueOnError)
	f.SetOutput(log)
	only := f.String("only", "", "measure only `part`: memories, transcripts or languages; all without")
	path := f.String("locomo", os.Getenv("ELOWEN_LOCOMO"), "`file` of LoCoMo's conversations (the environment's ELOWEN_LOCOMO)")
	kept := f.String("cache", "", "`directory` in which what the models make of texts is kept between runs")
	facts := f.String("facts", "server/recall/testdata/acceptance", "`directory` of facts.tsv and foreign.tsv")
	most := f.Int("ways", len(ways), "how many of the ways to recall are measured, the `first` ones")
	misses := f.Bool("misses", false, "tell of each fact that is not on top in the first way which stage lost it")
	if err := f.Parse(args); err != nil {
		return 2
	}
	chosen := ways[:min(max(*most, 1), len(ways))]
	if err := measureRecall(ctx, out, *path, *kept, *facts, *only, chosen, *misses); err != nil {
		fmt.Fprintln(log, "bench recall:", err)
		return 1
	}
	return 0
}

// way is one way to recall.
type way struct {
	name   string
	model  string // of the embedding; empty: none
	late   bool
	curves bool
}

var ways = []way{
	{"as it comes: multilingual E5, words, late interaction", local.Multilingual, true, true},
	{"without late interaction", local.Multilingual, false, true},
	{"e5-small-v2 as the embedding too", local.English, true, true},
	{"the same without late interaction", local.English, false, true},
	{"words and late interaction, no embedding", "", true, true},
	{"words alone", "", false, false},
}

func measureRecall(ctx context.Context, out io.Writer, path, kept, facts, only string, ways []way, misses bool) error {
	w, err := openRecall(ctx, kept)
	if err != nil {
		return err
	}
	defer w.close()
	fmt.Fprintf(out, "elowen %s\n", commit())
	parts := []struct {
		name string
		run  func() error
	}{
		{"memories", func() error { return w.locomo(ctx, out, path, ways) }},
		{"transcripts", func() error { return w.transcripts(ctx, out, path) }},
		{"languages", func() error { return w.languages(ctx, out, facts, ways, misses) }},
	}
	for _, p := range parts {
		switch {
		case only != "" && only != p.name:
		case path == "" && p.name != "languages":
			fmt.Fprintf(out, "\nLoCoMo, %s: not measured, no file is named\n", p.name)
		default:
			if err := p.run(); err != nil {
				return err
			}
		}
	}
	return nil
}

// locomo prints evidence recall and the curves.
func (w *recaller) locomo(ctx context.Context, out io.Writer, path string, ways []way) error {
	list, unknown, err := conversations(path)
	if err != nil {
		return err
	}
	var owners []holder
	questions := 0
	for i, c := range list {
		a, err := w.account(ctx, fmt.Sprintf("c%d", i), c.turns)
		if err != nil {
			return err
		}
		owners = append(owners, a)
		questions += len(c.questions)
	}
	fmt.Fprintf(out, "\nLoCoMo, evidence recall@10 in percent: %d conversations, %d questions, %d unknown turns dropped\n", len(list), questions, unknown)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "way\t1–4\tall\tsingle hop 4\tmulti hop 1\ttime 2\topen 3\tadversarial 5\tprecision@5\tungated 1–4\tall")
	var curves []func() error
	for _, one := range ways {
		if err := w.use(ctx, one, owners); err != nil {
			return err
		}
		var plain, ungated, cosine, words found
		var precision float64
		var seen [][]answer // by conversation and question
		for i, c := range list {
			var of []answer
			for _, q := range c.questions {
				a, err := w.ask(ctx, owners[i], q.text)
				if err != nil {
					return err
				}
				of = append(of, a)
				plain.add(q, a.picked[:min(10, len(a.picked))])
				precision += share(a.picked[:min(5, len(a.picked))], q.turns)
				ungated.add(q, first(a.ranked, 10))
				cosine.add(q, first(a.byCosine, 10))
				words.add(q, first(a.byWords, 10))
			}
			seen = append(seen, of)
		}
		row := func(name string, f *found, rest string) {
			fmt.Fprintf(t, "%s\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%s\n", name, f.of(1, 2, 3, 4), f.of(1, 2, 3, 4, 5), f.of(4), f.of(1), f.of(2), f.of(3), f.of(5), rest)
		}
		row(one.name, &plain, fmt.Sprintf("%.1f\t%.1f\t%.1f", 100*precision/float64(questions), ungated.of(1, 2, 3, 4), ungated.of(1, 2, 3, 4, 5)))
		if one.model != "" {
			row("  its cosine alone, of the best 300", &cosine, "")
		}
		if one.name == ways[0].name {
			row("  its words alone, BM25", &words, "")
		}
		if one.curves {
			c, err := w.curve(ctx, list, owners, seen)
			if err != nil {
				return err
			}
			curves = append(curves, func() error { c.print(out, one.name); return nil })
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, print := range curves {
		if err := print(); err != nil {
			return err
		}
	}
	return nil
}

// share is the part of picked that is wanted.
func share(picked, wanted []int) float64 {
	if len(picked) == 0 {
		return 0
	}
	n := 0
	for _, p := range picked {
		if slices.Contains(wanted, p) {
			n++
		}
	}
	return float64(n) / float64(len(picked))
}

func first(list []ranked, n int) []int {
	var places []int
	for _, r := range list[:min(n, len(list))] {
		places = append(places, r.place)
	}
	return places
}

// curve is what is kept and what is answered for nothing, by floor.
type curve struct {
	floors          []float64
	kept, keptAll   []float64 // percent of the ungated recall
	foreign, others []float64 // percent of questions answered
	atDefault       [4]float64
}

// curve sweeps the floor. What words alone admit stays admitted.
func (w *recaller) curve(ctx context.Context, list []conversation, owners []holder, seen [][]answer) (*curve, error) {
	var foreign, others []answer
	for i := range list {
		for line := bufio.NewScanner(strings.NewReader(foreignFile)); line.Scan(); {
			a, err := w.ask(ctx, owners[i], line.Text())
			if err != nil {
				return nil, err
			}
			foreign = append(foreign, a)
		}
		other := list[(i+1)%len(list)]
		for j := 0; j < len(other.questions); j += 2 {
			a, err := w.ask(ctx, owners[i], other.questions[j].text)
			if err != nil {
				return nil, err
			}
			others = append(others, a)
		}
	}
	c := &curve{}
	at := func(floor float64) (kept, all, f, o float64) {
		var gated, ungated found
		for i, of := range seen {
			for j, a := range of {
				q := list[i].questions[j]
				gated.add(q, a.above(floor, 10))
				ungated.add(q, first(a.ranked, 10))
			}
		}
		answered := func(list []answer) float64 {
			n := 0
			for _, a := range list {
				if len(a.above(floor, 1)) > 0 {
					n++
				}
			}
			return 100 * float64(n) / float64(max(len(list), 1))
		}
		return 100 * gated.of(1, 2, 3, 4) / ungated.of(1, 2, 3, 4), 100 * gated.of(1, 2, 3, 4, 5) / ungated.of(1, 2, 3, 4, 5), answered(foreign), answered(others)
	}
	for floor := -0.4; floor <= 1.001; floor += 0.1 {
		kept, all, f, o := at(floor)
		c.floors, c.kept, c.keptAll, c.foreign, c.others = append(c.floors, floor), append(c.kept, kept), append(c.keptAll, all), append(c.foreign, f), append(c.others, o)
	}
	answered := func(list []answer) float64 {
		n := 0
		for _, a := range list {
			if len(a.picked) > 0 {
				n++
			}
		}
		return 100 * float64(n) / float64(max(len(list), 1))
	}
	c.atDefault = [4]float64{answered(foreign), answered(others)}
	return c, nil
}

func (c *curve) print(out io.Writer, name string) {
	fmt.Fprintf(out, "\n%s: at the default floor %.1f%% of questions of other domains are answered, %.1f%% of those about other people\n", name, c.atDefault[0], c.atDefault[1])
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "floor\tkept 1–4\tall\tother domains\tother people\t")
	for i, f := range c.floors {
		fmt.Fprintf(t, "%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t\n", f, c.kept[i], c.keptAll[i], c.foreign[i], c.others[i])
	}
	t.Flush()
}
