package recall

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"elowen/server/embedding"
	"elowen/server/memory"
	"elowen/server/words"
	"elowen/shared/api"
)

func drawCandidate(t *rapid.T, id int64) *candidate {
	c := &candidate{
		id: id, keyword: rapid.SampledFrom([]float64{0, 0, 2, 8, 15, 40}).Draw(t, "keyword"),
		matched: rapid.Float64Range(0, 1).Draw(t, "matched"), rarest: rapid.Float64Range(0, 9).Draw(t, "rarest"),
		fact: memory.Fact{ID: id, Importance: rapid.IntRange(1, 10).Draw(t, "importance"), Vitality: rapid.Float64Range(0, 100).Draw(t, "vitality"),
			UpdatedAt: rapid.Int64Range(0, 100*24*3600_000).Draw(t, "updated"), Hash: rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f"}).Draw(t, "hash")},
	}
	if c.near = rapid.Bool().Draw(t, "near"); c.near {
		c.cosine = rapid.Float64Range(-0.2, 1).Draw(t, "cosine")
	}
	if rapid.Bool().Draw(t, "has late") {
		v := rapid.Float64Range(-0.1, 0.6).Draw(t, "late")
		c.late = &v
	}
	return c
}

func drawScale(t *rapid.T) scale {
	return scale{
		profile: rapid.SampledFrom([]embedding.Profile{
			embedding.WordsAlone(), {}, senseProfile,
			{Words: 0.6, Relevance: embedding.Line{Zero: 0.1, One: 0.5}},
			{Words: 0.6, Relevance: embedding.Line{Zero: 0.1, One: 0.5}, Late: embedding.Guess{Base: 0.05, Slope: 0.4}},
		}).Draw(t, "profile"),
		meaning: rapid.Bool().Draw(t, "meaning"), floor: rapid.Float64Range(0.1, 0.8).Draw(t, "floor"),
		importance: rapid.Float64Range(0, 0.3).Draw(t, "wi"), vitality: rapid.Float64Range(0, 0.3).Draw(t, "wv"), now: 100 * 24 * 3600_000,
		doubt: rapid.Float64Range(-0.1, 0.1).Draw(t, "doubt"),
	}
}

func drawCandidates(t *rapid.T, s *scale) []*candidate {
	list := make([]*candidate, rapid.IntRange(0, 30).Draw(t, "n"))
	for i := range list {
		list[i] = drawCandidate(t, int64(i+1))
		list[i].blend = s.blended(list[i])
	}
	return list
}

// Every number of a candidate is its own: nothing is scaled by what else was found.
func TestNumbersAreAbsolute(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScale(t)
		list := drawCandidates(t, &s)
		together := slices.Clone(list)
		s.judge(together)
		for _, c := range list {
			alone := *c
			s.judge([]*candidate{&alone})
			if alone.relevance != c.relevance || alone.score != c.score || alone.reason != c.reason || math.IsNaN(c.score) {
				t.Fatalf("alone %+v, among others %+v", alone, c)
			}
		}
	})
}

// More of anything is never worse, and importance and vitality decide nothing but the
// order.
func TestMoreIsNotWorse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScale(t)
		c := drawCandidate(t, 1)
		judged := func(change func(*candidate)) *candidate {
			d := *c
			change(&d)
			d.blend = s.blended(&d)
			s.judge([]*candidate{&d})
			return &d
		}
		is := judged(func(*candidate) {})
		for name, d := range map[string]*candidate{
			"words": judged(func(d *candidate) { d.keyword++ }), "cosine": judged(func(d *candidate) { d.cosine += 0.1 }),
			"late": judged(func(d *candidate) {
				if d.late != nil {
					v := *d.late + 0.1
					d.late = &v
				}
			}),
		} {
			if d.relevance < is.relevance || d.score < is.score || is.reason == "" && d.reason != "" {
				t.Fatalf("more %s: %+v, before %+v", name, d, is)
			}
		}
		d := judged(func(d *candidate) { d.fact.Importance, d.fact.Vitality = 11-d.fact.Importance, 100-d.fact.Vitality })
		if d.relevance != is.relevance || d.reason != is.reason {
			t.Fatalf("importance or vitality moved relevance: %+v, %+v", d, is)
		}
	})
}

func TestPackingKeepsItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScale(t)
		list := drawCandidates(t, &s)
		s.judge(list)
		if !slices.IsSortedFunc(list, byScore) {
			t.Fatal("not by score")
		}
		sizes := rapid.SliceOfN(rapid.IntRange(0, 60), 31, 31).Draw(t, "sizes")
		p := packing{count: rapid.IntRange(1, 12).Draw(t, "count"), bytes: rapid.IntRange(1, 200).Draw(t, "bytes"),
			size:  func(c *candidate) int { return sizes[c.id] },
			alike: func(a, b *candidate) bool { return a.fact.Hash == b.fact.Hash },
		}
		picked := p.pack(list)
		left, n := p.bytes, 0
		by := map[int64]*candidate{}
		for _, c := range list {
			if c.reason == api.ReasonPicked {
				if picked[n] != c || sizes[c.id] > left {
					t.Fatalf("%d is picked with %d left", c.id, left)
				}
				left -= sizes[c.id]
				n++
				by[c.id] = c
				continue
			}
			alike := slices.ContainsFunc(picked[:n], func(o *candidate) bool { return p.alike(c, o) })
			switch c.reason {
			case api.ReasonFloor:
				if s.relevant(c) || c.evident() {
					t.Fatalf("%+v is below the floor", c)
				}
			case api.ReasonCount:
				if n != p.count {
					t.Fatalf("%d of %d, and no more are taken", n, p.count)
				}
			case api.ReasonDuplicate:
				if o := by[c.of]; !alike || o == nil || !p.alike(c, o) {
					t.Fatalf("%+v is no duplicate", c)
				}
			case api.ReasonBytes:
				if alike || sizes[c.id] <= left || n == p.count {
					t.Fatalf("%+v of %d fits in %d", c, sizes[c.id], left)
				}
			default:
				t.Fatalf("no reason: %+v", c)
			}
		}
		if n != len(picked) || n > p.count || left < 0 {
			t.Fatalf("%d of %d picked, %d bytes left", n, len(picked), left)
		}
	})
}

// Without vectors of any kind it is 0.6 of relevance, a quarter of importance, and
// recency that halves in 30 days.
func TestPlainOrder(t *testing.T) {
	s := scale{profile: embedding.WordsAlone(), now: 60 * 24 * 3600_000}
	c := &candidate{relevance: 0.5, fact: memory.Fact{Importance: 10, UpdatedAt: 30 * 24 * 3600_000}}
	if got := s.scored(c); math.Abs(got-(0.3+0.25+0.075)) > 1e-12 {
		t.Error(got)
	}
	s.meaning, s.importance, s.vitality = true, 0.1, 0.1
	c.fact.Vitality = 50
	if got := s.scored(c); math.Abs(got-(0.4+0.1+0.05)) > 1e-12 {
		t.Error(got)
	}
}

func TestBlend(t *testing.T) {
	s := scale{profile: embedding.Profile{Words: 0.7}}
	c := &candidate{keyword: 12, cosine: 0.4, near: true}
	if got := s.blended(c); math.Abs(got-(0.35+0.3)) > 1e-12 {
		t.Error(got)
	}
}

// What a question's kind says is the same for all: it moves none before another, and more
// doubt makes nothing more relevant.
func TestDoubtMovesNothingBeforeAnother(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScale(t)
		list := drawCandidates(t, &s)
		more := s
		more.doubt += rapid.Float64Range(0, 0.2).Draw(t, "more")
		for i, c := range list {
			if more.line(c) > s.line(c)+1e-12 {
				t.Fatalf("%+v: %v, with more doubt %v", c, s.line(c), more.line(c))
			}
			for _, d := range list[:i] {
				if c.late == nil && d.late == nil && s.line(c) > s.line(d)+1e-9 && more.line(c) < more.line(d)-1e-9 {
					t.Fatalf("%+v stood before %+v", c, d)
				}
			}
		}
	})
	if Doubt(0.7, 0) != 0 || Doubt(0.7, 0.1) <= 0 || Doubt(0.7, -0.1) != -Doubt(0.7, 0.1) || Doubt(1, 0.1) != 0 {
		t.Error("doubt of a question that is of neither kind, of one kind, of the other, and where only words count")
	}
}

func TestQuiet(t *testing.T) {
	for _, q := range strings.Split(`|ok|OK!|Okay.|go on|Go ahead, please|yes please|thanks a lot... no|thank you so much|sounds good|LGTM|got it|👍|✅ done|...|   |"…"
ano|Ano, pokračuj.|díky|Děkuji!|v pořádku|tack|Tack, bra!|fortsätt|ja danke|Weiter bitte|genau|sí, gracias|continúa|merci beaucoup|d'accord|grazie mille|obrigado|devam et
да|Спасибо!|продолжай|ναι|ευχαριστώ|نعم|شكرا|धन्यवाद|はい|はい。|了解です！|ありがとうございます|続けてください|好的|好的，谢谢|谢谢|继续|네|네, 감사합니다|알겠습니다|ครับ|ขอบคุณค่ะ|dobře|tak|dziękuję`, "|") {
		for _, q := range strings.Split(q, "\n") {
			want := q != "thanks a lot... no"
			if Quiet(q) != want {
				t.Errorf("%q: %v", q, !want)
			}
		}
	}
	for _, q := range strings.Split(`dog|ok computer lyrics|go server|what is it|When do I walk the dog?|thanks to Marta the ferry was booked|🍕|はいから|犬|犬の名前|狗|개|หมา|ano, kde bydlí moje sestra|42|weiter nach Hamburg|yes please book the small room for Tuesday`, "|") {
		if Quiet(q) {
			t.Errorf("%q asks for something", q)
		}
	}
}

func FuzzQuiet(f *testing.F) {
	for _, s := range []string{"ok", "はい", "\xff", "a\x00b", strings.Repeat("ok ", 90)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if Quiet(s) != Quiet(s+" ") && len(s) < 199 {
			t.Errorf("%q and with a space", s)
		}
	})
}

func TestQuestionsKeepTheLast(t *testing.T) {
	q := newQuestions(2)
	q.put(1, "a", []float32{1})
	q.put(2, "a", []float32{2})
	if v, ok := q.get(1, "a"); !ok || v[0] != 1 {
		t.Error("the first is gone")
	}
	q.put(1, "b", []float32{3})
	if _, ok := q.get(2, "a"); ok {
		t.Error("the one that was not used is there")
	}
	if v, ok := q.get(1, "b"); !ok || v[0] != 3 || q.order.Len() != 2 || len(q.at) != 2 {
		t.Error("the last is not there")
	}
}

// frequent knows one word.
type frequent struct{}

func (frequent) WordLogProbability(w string) float64 {
	switch w {
	case "":
		return -3
	case "monday":
		return -8
	case "東京":
		return -11
	}
	return -30
}

func TestBackground(t *testing.T) {
	b := Background(frequent{})
	if m := b("Monday", false); m < 0.05 || m > 0.1 {
		t.Errorf("Monday %v", m)
	}
	if b("東京", true) < 10*b("東京", false) || b("xyzzy", false) > 1e-9 {
		t.Error("joined words, or rare ones")
	}
	if none := Background(nil); none("anything", false) <= 0 || none("anything", false) > 0.01 {
		t.Error("without a model")
	}
}

func TestSameWords(t *testing.T) {
	if sameWords([]string{"dog", "room", "seven", "12"}, []string{"dog", "room", "seven", "13"}) {
		t.Error("another number is another fact")
	}
	if !sameWords([]string{"a", "b", "c"}, []string{"a", "b", "c"}) || sameWords(nil, nil) {
		t.Error("the same words are the same")
	}
}

// A word that carries little of the question counts little; from half of it on, all.
func TestKeyword(t *testing.T) {
	for _, c := range []struct {
		matched float32
		want    float64
	}{{0, 0}, {0.1, 2}, {0.25, 5}, {0.5, 10}, {0.8, 10}, {1, 10}} {
		if got := Keyword(words.Hit{Score: 10, Matched: c.matched}); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%v of the question: %v, want %v", c.matched, got, c.want)
		}
	}
}

// Of equally relevant memories the one in the question's language comes first, by little
// where the question is English; the floor asks nobody's language.
func TestOtherLanguagesStandBehind(t *testing.T) {
	p := embedding.KnownProfile(embedding.Space{Kind: api.ProviderLocal, Model: embedding.ModelE5Multilingual})
	score := func(group string) (*candidate, float64) {
		s := scale{profile: p, meaning: true, floor: p.Floor, group: group, own: 10, texts: 10}
		c := &candidate{id: 1, near: true, cosine: 0.3, fact: memory.Fact{Importance: 1}} // its own group is ""
		c.blend = s.blended(c)
		s.judge([]*candidate{c})
		return c, c.score
	}
	own, in := score("")
	for group, behind := range map[string]float64{"cs": otherTongue, "Hani": otherTongue, "en": fromEnglish} {
		c, got := score(group)
		if math.Abs(in-got-behind) > 1e-9 {
			t.Errorf("a question in %s puts it %v behind, want %v", group, in-got, behind)
		}
		if c.relevance != own.relevance || c.reason != own.reason {
			t.Errorf("a question in %s: relevance %v, %q", group, c.relevance, c.reason)
		}
	}
}

// In a store of many languages what is in the question's stands among its like, as if
// the others weren't there; they must stand out from all, less so where the question is
// English.
func TestEachLanguageIsACrowdOfItsOwn(t *testing.T) {
	p := embedding.KnownProfile(embedding.Space{Kind: api.ProviderLocal, Model: embedding.ModelE5Multilingual})
	relevance := func(group string, own, all int, near bool) float64 {
		s := scale{profile: p, meaning: true, floor: p.Floor, group: group, own: own, texts: all}
		c := &candidate{id: 1, near: near, cosine: 0.3, fact: memory.Fact{Importance: 1}} // its own group is ""
		c.blend = s.blended(c)
		return s.line(c)
	}
	if alone, among := relevance("", 10, 10, true), relevance("", 10, 80, true); alone != among {
		t.Errorf("in its language: %v alone, %v among others", alone, among)
	}
	alone, among := relevance("cs", 10, 10, true), relevance("cs", 10, 80, true)
	if among >= alone {
		t.Errorf("in another language: %v in a store of ten, %v in one of eighty", alone, among)
	}
	if english := relevance("en", 10, 80, true); english <= among || english >= alone {
		t.Errorf("asked in English: %v, want between %v and %v", english, among, alone)
	}
	if got := relevance("cs", 10, 80, false); got != relevance("", 10, 80, true) {
		t.Errorf("nothing is known of its language: %v", got)
	}
}

// Late interaction alone makes nothing relevant: in a store of any size meaning or words
// have to agree. Where they do nothing is taken off, and more of them never harms.
func TestLateAloneIsNotEnough(t *testing.T) {
	for _, name := range []string{embedding.ModelE5Multilingual, embedding.ModelE5English} {
		p := embedding.KnownProfile(embedding.Space{Kind: api.ProviderLocal, Model: name})
		relevance := func(texts int, late, cosine, keyword float64, near bool) float64 {
			s := scale{profile: p, meaning: true, floor: p.Floor, own: texts, texts: texts}
			c := &candidate{id: 1, near: near, cosine: cosine, keyword: keyword, late: &late, fact: memory.Fact{Importance: 1}}
			c.blend = s.blended(c)
			return s.line(c)
		}
		for _, texts := range []int{1, 2, 3, 5, 8, 10, 100} {
			if got := relevance(texts, 0.21, 0.02, 0, true); got >= p.Floor {
				t.Errorf("%s, %d memories: late alone makes it %v", name, texts, got)
			}
			if got := relevance(texts, 0.4, 0.35, 0, true); got < p.Floor {
				t.Errorf("%s, %d memories: late and meaning make it %v", name, texts, got)
			}
			if got := relevance(texts, 0.4, 0, 6, true); got < p.Floor {
				t.Errorf("%s, %d memories: late and words make it %v", name, texts, got)
			}
			if known, unknown := relevance(texts, 0.3, 0, 0, true), relevance(texts, 0.3, 0, 0, false); known >= unknown {
				t.Errorf("%s, %d memories: %v where the meaning is another one, %v where it isn't known", name, texts, known, unknown)
			}
			last := math.Inf(-1)
			for cosine := -0.3; cosine < 0.9; cosine += 0.01 {
				if got := relevance(texts, 0.25, cosine, 0, true); got <= last {
					t.Fatalf("%s, %d memories: a cosine of %v makes it %v, a smaller one %v", name, texts, cosine, got, last)
				} else {
					last = got
				}
			}
		}
	}
}
