package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

// fact is one of a language's, with the question that asks for it, and the same in
// English.
type fact struct{ language, text, question, english string }

// languages prints the table of facts in eight languages.
func (w *recaller) languages(ctx context.Context, out io.Writer, dir string, ways []way, misses bool) error {
	rows, err := table4(dir + "/facts.tsv")
	if err != nil {
		return err
	}
	foreign, err := table4(dir + "/foreign.tsv")
	if err != nil {
		return err
	}
	var languages, all []string
	of := map[string][]fact{}
	for _, f := range rows {
		if len(f) != 4 {
			return fmt.Errorf("%s/facts.tsv: %q has not four parts", dir, f)
		}
		if of[f[0]] == nil {
			languages = append(languages, f[0])
		}
		of[f[0]] = append(of[f[0]], fact{f[0], f[1], f[2], f[3]})
		all = append(all, f[1])
	}
	accounts := map[string]holder{}
	whole, err := w.account(ctx, "all", all)
	if err != nil {
		return err
	}
	owners := []holder{whole}
	for _, l := range languages {
		var texts []string
		for _, f := range of[l] {
			texts = append(texts, f.text)
		}
		if accounts[l], err = w.account(ctx, "in-"+l, texts); err != nil {
			return err
		}
		owners = append(owners, accounts[l])
	}
	for i, one := range ways {
		if err := w.use(ctx, one, owners); err != nil {
			return err
		}
		fmt.Fprintf(out, "\n%s: ten facts a language, asked in other words; how many are on top (and found), and foreign questions without an answer\n", one.name)
		t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "language\town question\tin all\tEnglish question\tin all\tforeign: none\tin all")
		var lost []string
		offset := 0
		for _, l := range languages {
			fmt.Fprint(t, l)
			for _, english := range []bool{false, true} {
				for _, a := range []holder{accounts[l], whole} {
					top, found := 0, 0
					for i, f := range of[l] {
						question, place := f.question, i
						if english {
							question = f.english
						}
						if a.id == whole.id {
							place += offset
						}
						got, err := w.ask(ctx, a, question)
						if err != nil {
							return err
						}
						if slices.Contains(got.picked, place) {
							found++
						}
						if len(got.picked) > 0 && got.picked[0] == place {
							top++
						} else if !english || l != "en" {
							lost = append(lost, w.miss(a, f.language, question, place, &got))
						}
					}
					fmt.Fprintf(t, "\t%d (%d)", top, found)
				}
			}
			for _, a := range []holder{accounts[l], whole} {
				silent := 0
				for _, f := range foreign {
					if f[0] != l {
						continue
					}
					got, err := w.ask(ctx, a, f[1])
					if err != nil {
						return err
					}
					if len(got.picked) == 0 {
						silent++
					} else {
						lost = append(lost, w.miss(a, l, f[1], -1, &got))
					}
				}
				fmt.Fprintf(t, "\t%d", silent)
			}
			fmt.Fprintln(t)
			offset += len(of[l])
		}
		if err := t.Flush(); err != nil {
			return err
		}
		if misses && i == 0 {
			for _, line := range lost {
				fmt.Fprintln(out, line)
			}
		}
	}
	return nil
}

// miss tells which stage lost the memory at place, or let one in that has nothing to do
// with the question (place −1): its rank and figures, and those of what was on top.
func (w *recaller) miss(a holder, language, question string, place int, got *answer) string {
	var line strings.Builder
	fmt.Fprintf(&line, "  %s in %d: %q", language, len(a.texts), question)
	at := func(list []ranked, place int) (rank int, value float64) {
		for i, r := range list {
			if r.place == place {
				return i + 1, r.value
			}
		}
		return 0, 0
	}
	tell := func(place int) {
		c := got.of[place]
		cosine, byCosine := at(got.byCosine, place)
		words, byWords := at(got.byWords, place)
		rank, _ := at(got.ranked, place)
		fmt.Fprintf(&line, "\n      %s: %s, relevance %.2f (rank %d), cosine %.2f (%d), words %.1f (%d)", a.texts[place], c.Reason, c.Relevance, rank, byCosine, cosine, byWords, words)
		if c.Late != nil {
			fmt.Fprintf(&line, ", late %.2f", *c.Late)
		}
	}
	if place >= 0 {
		tell(place)
	}
	if top := append(got.picked[:len(got.picked):len(got.picked)], first(got.ranked, 1)...); len(top) > 0 && top[0] != place {
		tell(top[0])
	}
	return line.String()
}

// table4 are the lines of a file, at their tabs.
func table4(path string) (list [][]string, err error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(file)) {
		if f := strings.Split(strings.TrimRight(line, "\n"), "\t"); len(f) > 1 {
			list = append(list, f)
		}
	}
	return list, nil
}
