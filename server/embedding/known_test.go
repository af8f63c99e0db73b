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
			for _, group := range append(embedding.Groups(), "") {
				if v := means.Of(group); len(v) != 384 {
					t.Errorf("%s: the mean of %q has %d numbers", name, group, len(v))
				}
			}
		}
		for what, l := range map[string]embedding.Line{"relevance": p.Relevance, "blend": p.Blend} {
			if !(l.Zero < l.One) || l.Texts < 100 || l.Crowd <= 0 || l.Crowd > 0.2 {
				t.Errorf("%s: %s %+v", name, what, l)
			}
			if small := l.In(10); small.Zero >= l.Zero || math.Abs(small.One-small.Zero-(l.One-l.Zero)) > 1e-9 {
				t.Errorf("%s: %s of ten texts %+v", name, what, small)
			}
			if same := l.In(int(l.Texts)); math.Abs(same.Zero-l.Zero) > 1e-9 {
				t.Errorf("%s: %s of as many texts %+v", name, what, same)
			}
		}
		if d := p.Thresholds; !(d.Cluster > 0.4 && d.Cluster < d.Duplicate && d.Duplicate <= d.Paraphrase && d.Paraphrase <= d.Reinforce && d.Reinforce < 1) {
			t.Errorf("%s: %+v", name, d)
		}
		delete(p.Passages.Script, "en")
		if again := embedding.KnownProfile(s); len(again.Passages.Script["en"]) != 384 {
			t.Errorf("%s: a copy was the profile", name)
		}
	}
	if p := embedding.WordsAlone(); p.Relevance.Zero >= p.Relevance.One || len(p.Passages.All) > 0 {
		t.Errorf("%+v", p)
	}
}
