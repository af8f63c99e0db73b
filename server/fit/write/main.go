// Command write fits the profiles of the built-in models and the axes of late
// interaction, and writes the files that are shipped: `go run ./server/fit/write` in
// the top folder, after a change of the texts or of what fits. It needs the weights.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"elowen/server/embedding"
	"elowen/server/embedding/local"
	"elowen/server/embedding/local/weight"
	"elowen/server/fit"
	"elowen/server/fit/cache"
	"elowen/server/late"
	"elowen/server/recall"
)

func main() {
	kept := flag.String("cache", "", "`directory` in which what the models make of texts is kept")
	check := flag.Bool("check", false, "only print, write nothing")
	flag.Parse()
	if err := run(context.Background(), *kept, !*check); err != nil {
		fmt.Fprintln(os.Stderr, "write:", err)
		os.Exit(1)
	}
}

// The folders that the files are in.
const (
	profiles = "server/embedding/known"
	axesIn   = "server/late/known"
)

func run(ctx context.Context, kept string, write bool) error {
	models := local.New(weight.Files{})
	open := func(name string) (*cache.Model, error) {
		m, err := models.Open(name)
		return cache.Over(m, kept), err
	}
	multilingual, err := open(local.Multilingual)
	if err != nil {
		return err
	}
	english, err := open(local.English)
	if err != nil {
		return err
	}
	frequencies, err := models.Frequencies()
	if err != nil {
		return err
	}
	save := func(dir, name string, data []byte) error {
		fmt.Printf("%s: %d bytes\n", name, len(data))
		if !write {
			return nil
		}
		return os.WriteFile(filepath.Join(dir, name), data, 0o644)
	}

	axes, err := fitAxes(ctx, english)
	if err != nil {
		return err
	}
	file, err := axes.MarshalBinary()
	if err != nil {
		return err
	}
	if err := save(axesIn, "axes.bin", file); err != nil {
		return err
	}
	background, err := backgroundTokens(ctx, english, axes)
	if err != nil {
		return err
	}
	if err := save(axesIn, "background.bin", late.WriteBackground(background)); err != nil {
		return err
	}

	reranker := late.New(english, axes, background)
	words := recall.Background(frequencies)
	for _, c := range []struct {
		name  string
		model *cache.Model // nil: words alone
		// late is the sum of late interaction and blend where, on conversations (the harness
		// of package bench, the half that is developed on), a twentieth of questions about
		// something else are answered, or fewer where 99 in a hundred of what belongs to a
		// question is kept all the same; blend is the same of rows without late interaction, as
		// a value of the blend. lateSmall and small are those in a store of ten memories: there,
		// on the facts that constants are chosen with (recall/testdata, development and hard), a
		// twentieth is answered at most, while each English fact is still found.
		// 0 leaves what was fitted.
		late, lateSmall, blend, small float64
	}{{local.Multilingual, multilingual, 0.396, 0.218, 0.285, 0.130}, {local.English, english, 0.395, 0, 0.285, 0}, {"words", nil, 0, 0, 0, 0}} {
		p := embedding.Profile{Words: 0.7}
		tools := fit.Tools{Background: words}
		if c.model != nil {
			p = embedding.Untold(c.name)
			tools.Vectors = vectors(c.model)
		}
		tools.Late = reranker
		p, seen, err := fit.Profile(ctx, tools, p)
		if err != nil {
			return err
		}
		if c.model == nil {
			p.Floor = embedding.WordsAlone().Floor
			p.Relevance = fit.Seated(p.Relevance, p.Floor, p.Relevance.Zero+0.4*(p.Relevance.One-p.Relevance.Zero))
		}
		switch {
		case c.lateSmall != 0:
			p.Relevance = seated(p.Relevance, c.late, c.lateSmall, p.Floor)
		case c.late != 0:
			p.Relevance = fit.Seated(p.Relevance, p.Floor, c.late)
		}
		p.Blend = seated(p.Blend, c.blend, c.small, p.Floor)
		fmt.Printf("%s: relevance %+v, blend %+v, thresholds %+v\n", c.name, p.Relevance, p.Blend, p.Thresholds)
		show(seen)
		text, err := p.MarshalText()
		if err != nil {
			return err
		}
		if err := save(profiles, c.name+".json", append(text, '\n')); err != nil {
			return err
		}
	}
	return nil
}

func vectors(m *cache.Model) fit.Vectors {
	return func(ctx context.Context, texts []string, kind embedding.Kind) ([][]float32, error) {
		list, err := m.Vectors(ctx, texts, kind)
		if err != nil {
			return nil, err
		}
		first := make([][]float32, len(list))
		for i := range list {
			first[i] = list[i][0]
		}
		return first, nil
	}
}

// seated is a line that has the floor at a value in a store as large as it was fitted to,
// and at small in one of ten memories; 0 is where that was.
func seated(l embedding.Line, at, small, floor float64) embedding.Line {
	if at == 0 {
		return l
	}
	if small == 0 {
		in := l.In(10)
		small = in.Zero + floor*(in.One-in.Zero)
	}
	l = fit.Seated(l, floor, at)
	l.Crowd = (at - small) / math.Log(l.Texts/10)
	return l
}

// show prints how values are spread.
func show(r fit.Report) {
	for _, c := range []struct {
		name string
		list []float64
	}{{"own", r.Own}, {"strangers", r.Strangers}, {"same", r.Same}, {"different", r.Different}} {
		if len(c.list) == 0 {
			continue
		}
		fmt.Printf("  %-10s", c.name)
		for _, part := range []float64{0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1} {
			fmt.Printf(" %3.0f%% %.3f", part*100, c.list[int(part*float64(len(c.list)-1))])
		}
		fmt.Println()
	}
}
