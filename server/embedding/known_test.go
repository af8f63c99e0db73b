package embedding_test

import (
	"math"
	"testing"

	"elowen/server/embedding"
	"elowen/shared/api"
)

// The profiles of the built-in models are whole, and nobody who takes one changes
// another's.
func TestKnownProfilesAreWhole(t *testing.T) {
	for _, name := range []string{embedding.ModelE5Multilingual, embedding.ModelE5English} {
		s := embedding.Space{Kind: api.ProviderLocal, Model: name}
		p := embedding.KnownProfile(s)
		if p.Model != name || p.PassageBy == "" || p.QueryBy == "" || !p.Known() {
			t.Errorf("%s: %q %q %q", name, p.Model, p.PassageBy, p.QueryBy)
		}
		for _, means := range []embedding.Means{p.Passages, p.Queries} {
			if len(means.All) != 384 || len(means.Apart) < 4 || len(means.Apart) > 30 || len(means.Tongues) < 15 {
				t.Errorf("%s: a mean of %d numbers, %d directions, %d languages", name, len(means.All), len(means.Apart), len(means.Tongues))
			}
			for i, a := range means.Apart {
				for j, b := range means.Apart[:i+1] {
					var sum float64
					for k := range a {
						sum += float64(a[k]) * float64(b[k])
					}
					if want := float64(1 - min(i-j, 1)); math.Abs(sum-want) > 1e-4 {
						t.Errorf("%s: directions %d and %d have the product %v", name, i, j, sum)
					}
				}
			}
		}
		var length float64
		for _, x := range p.Foreign.Axis {
			length += float64(x) * float64(x)
		}
		if len(p.Foreign.Axis) != 384 || math.Abs(length-1) > 1e-4 || math.Abs(p.Foreign.Middle) > 0.2 {
			t.Errorf("%s: an axis of %d numbers of length %v, middle %v", name, len(p.Foreign.Axis), length, p.Foreign.Middle)
		}
		for what, l := range map[string]embedding.Line{"relevance": p.Relevance, "blend": p.Blend} {
			if !(l.Zero < l.One) || l.Texts < 100 || l.Crowd <= 0 || l.Crowd > 0.2 {
				t.Errorf("%s: %s %+v", name, what, l)
			}
			if small := l.In(10); small.Zero >= l.Zero || math.Abs(small.One-small.Zero-(l.One-l.Zero)) > 1e-9 {
				t.Errorf("%s: %s of ten texts %+v", name, what, small)
			}
			for few := range 10 {
				if got := l.In(few); got != l.In(10) {
					t.Errorf("%s: %s of %d texts %+v, of ten %+v", name, what, few, got, l.In(10))
				}
			}
			if same := l.In(int(l.Texts)); math.Abs(same.Zero-l.Zero) > 1e-9 {
				t.Errorf("%s: %s of as many texts %+v", name, what, same)
			}
		}
		if d := p.Thresholds; !(d.Cluster > 0.4 && d.Cluster < d.Paraphrase && d.Paraphrase <= d.Duplicate && d.Duplicate <= d.Reinforce && d.Reinforce < 1) {
			t.Errorf("%s: %+v", name, d)
		}
		delete(p.Passages.Tongues, "en")
		if again := embedding.KnownProfile(s); again.Passages.Tongues["en"] == nil {
			t.Errorf("%s: a copy was the profile", name)
		}
	}
	if p := embedding.WordsAlone(); p.Relevance.Zero >= p.Relevance.One || len(p.Passages.All) > 0 {
		t.Errorf("%+v", p)
	}
}
