package part

import (
	"math"
	"strings"
	"testing"
	"time"

	"elowen/app/tag"
	"elowen/shared/api"
	"elowen/shared/live"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
	"pgregory.net/rapid"
)

const day = dayMillis

// history is a memory of some age, recalled now and then, halving every 20 days.
func history(ageDays int, recallDays []int, floor *float64) *api.VitalityHistory {
	now := api.Time(1_800_000_000_000)
	h := &api.VitalityHistory{Now: now, HistoryFrom: now - api.Time(ageDays)*day, Floor: floor, HalfLifeDays: 20}
	v := 50.0
	for d := ageDays; d >= 0; d-- {
		at := now - api.Time(d)*day
		h.Points = append(h.Points, api.HistoryPoint{At: at, Vitality: v})
		for _, r := range recallDays {
			if r == d {
				v = min(100, v+20)
				h.Points = append(h.Points, api.HistoryPoint{At: at, Vitality: v})
				h.Recalls = append(h.Recalls, at)
			}
		}
		v *= math.Pow(0.5, 1.0/20)
	}
	v = h.Points[len(h.Points)-1].Vitality
	for d := 0; d <= 200; d += 2 {
		f := v * math.Pow(0.5, float64(d)/20)
		h.Forecast = append(h.Forecast, api.HistoryPoint{At: now + api.Time(d)*day, Vitality: f})
		if floor != nil && f <= *floor {
			crossed := now + api.Time(d)*day
			sweep := crossed + day/2
			h.CrossesAt, h.EvictableAt = &crossed, &sweep
			break
		}
	}
	return h
}

func TestPlotOfAnOrdinaryMemory(t *testing.T) {
	h := history(90, []int{60, 30, 3}, api.Ptr(10.0))
	p := newPlot(h, 90, 680, time.UTC)
	if len(p.stems) != 3 {
		t.Errorf("%d stems, want 3", len(p.stems))
	}
	for _, s := range p.stems {
		if s.y2 >= s.y1 {
			t.Errorf("a recall goes up: %v", s)
		}
	}
	if p.end == nil || p.end.beyond || p.end.x <= p.nowX || p.end.x > p.right {
		t.Errorf("end %+v, now at %v", p.end, p.nowX)
	}
	if !p.hasFloor || math.Abs(p.floorY-p.y(10)) > 1e-9 {
		t.Errorf("floor at %v", p.floorY)
	}
	if !strings.HasPrefix(p.line, "M30.0 ") || !strings.HasSuffix(p.fill, "Z") || p.forecast == "" {
		t.Errorf("line %.30q", p.line)
	}
}

func TestPlotOfSpecialMemories(t *testing.T) {
	fresh := history(0, nil, api.Ptr(10.0))
	p := newPlot(fresh, 90, 680, time.UTC)
	if p.end == nil || p.end.beyond || p.nowX < p.left || p.nowX > p.left+100 {
		t.Errorf("fresh: end %+v, now at %v", p.end, p.nowX)
	}
	off := newPlot(history(90, nil, nil), 90, 680, time.UTC)
	if off.hasFloor || off.end != nil || off.forecast == "" {
		t.Errorf("retention off: %+v", off.end)
	}
	far := history(30, nil, api.Ptr(10.0))
	later := far.Now + 3000*day
	far.EvictableAt = &later
	if p := newPlot(far, 30, 358, time.UTC); p.end == nil || !p.end.beyond || p.end.x > p.right {
		t.Errorf("far ahead: %+v", p.end)
	}
	empty := newPlot(&api.VitalityHistory{Now: 1000, HistoryFrom: 1000}, 90, 680, time.UTC)
	if empty.line != "" || empty.nearest(300) != -1 {
		t.Errorf("nothing to draw: %q", empty.line)
	}
}

// Nothing that is drawn leaves the box, whatever the history, the width and the
// range, and a label is never wider than what it stands on.
func TestPlotStaysInItsBox(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var floor *float64
		if rapid.Bool().Draw(t, "on") {
			floor = api.Ptr(rapid.Float64Range(1, 90).Draw(t, "floor"))
		}
		recalls := rapid.SliceOfN(rapid.IntRange(0, 400), 0, 30).Draw(t, "recalls")
		h := history(rapid.IntRange(0, 400).Draw(t, "age"), recalls, floor)
		w := rapid.Float64Range(280, 1200).Draw(t, "width")
		p := newPlot(h, rapid.SampledFrom([]int{30, 90, 365}).Draw(t, "days"), w, time.UTC)
		last := math.Inf(-1)
		for _, m := range p.marks {
			if m.x < p.left-0.01 || m.x > p.right+0.01 || m.y < p.top-0.01 || m.y > p.bottom+0.01 || math.IsNaN(m.x+m.y) {
				t.Fatalf("mark outside: %+v of %v", m, p.w)
			}
			if m.x < last {
				t.Fatalf("marks run backwards at %+v", m)
			}
			last = m.x
		}
		for _, k := range p.columns {
			if k.pos < p.left || k.pos > p.w {
				t.Fatalf("tick %+v outside", k)
			}
		}
		for i := 1; i < len(p.columns); i++ {
			if p.columns[i].pos-p.columns[i-1].pos < 40 {
				t.Fatalf("ticks too close: %v", p.columns)
			}
		}
		if p.end != nil && (p.end.labelY < p.top || p.end.labelY > p.bottom) {
			t.Fatalf("label at %v", p.end.labelY)
		}
		for x := 0.0; x < w; x += 40 {
			if i := p.nearest(x); i < 0 || i >= len(p.marks) {
				t.Fatalf("nearest to %v is %d of %d", x, i, len(p.marks))
			}
		}
		for i := range p.marks {
			for _, step := range []int{-1, 1} {
				if n := p.nextRecall(i, step); n < 0 || n >= len(p.marks) {
					t.Fatalf("from %d by %d to %d", i, step, n)
				}
			}
		}
	})
}

var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `</memory></textarea>`, "\u202egnp.exe", strings.Repeat("\U0001f33f", 25_000), "a\nb\tc",
}

func TestHostileTextIsText(t *testing.T) {
	for _, body := range hostile {
		r := &Row{Memory: &live.Row{Memory: api.Memory{ID: 4, Body: body, Importance: 5, Kind: body[:min(len(body), 40)]}}, Category: body[:min(len(body), 80)]}
		html := app.HTMLString(r)
		for _, bad := range []string{"<script", "<img", "</memory", "</textarea"} {
			if strings.Contains(html, bad) {
				t.Errorf("%.40q became markup: %.200s", body, html)
			}
		}
		if len(html) > 4000 {
			t.Errorf("%.20q: a row of %d bytes", body, len(html))
		}
	}
}

func TestCutKeepsWholeCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringN(0, 900, -1).Draw(t, "s")
		got := Cut(s)
		if got != s && (!strings.HasPrefix(s, strings.TrimSuffix(got, "…")) || len(got) > 490 || strings.ToValidUTF8(got, "?") != got) {
			t.Fatalf("%q became %q", s, got)
		}
	})
}

func TestRingsAndTens(t *testing.T) {
	for importance, want := range map[int]int{1: 1, 2: 1, 3: 2, 5: 2, 6: 3, 8: 3, 9: 4, 10: 4} {
		if got := ringCount(importance); got != want {
			t.Errorf("importance %d: %d rings, want %d", importance, got, want)
		}
	}
	for shown, want := range map[int]int{-3: 0, 0: 0, 9: 0, 10: 10, 19: 10, 99: 90, 100: 100, 140: 100} {
		if got := Tens(shown); got != want {
			t.Errorf("vitality %d: %d, want %d", shown, got, want)
		}
	}
}

func TestMarks(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"a b c", "a b c", "a b c"},
		{"a b c", "a x c", "a [x ]c"},
		{"a b", "a b and c", "a [b and c]"},
		{"", "new", "[new]"},
		{"gone", "", ""},
		{"a a a", "a a", "a a"},
	} {
		var got strings.Builder
		whole := ""
		for _, r := range Marks(c.from, c.to) {
			whole += r.Text
			if r.Op == "insert" {
				got.WriteString("[" + r.Text + "]")
			} else {
				got.WriteString(r.Text)
			}
		}
		if whole != c.to {
			t.Errorf("%q → %q: shows %q", c.from, c.to, whole)
		}
		if c.want != "" && c.from != "a a a" && got.String() != c.want {
			t.Errorf("%q → %q: %q, want %q", c.from, c.to, got.String(), c.want)
		}
	}
}

// A piece that panics shows words, and the rest of the page is still drawn.
func TestSafe(t *testing.T) {
	html := app.HTMLString(tag.Div().Body(
		Safe("broken", func() app.UI { panic("defect") }),
		tag.P().Text("the rest"),
	))
	if !strings.Contains(html, "the rest") || !strings.Contains(html, "Reload") {
		t.Error(html)
	}
}

// Close to the present the sweep's date has no words of its own; they would stand on
// those of the present.
func TestEndSilent(t *testing.T) {
	for ahead, want := range map[int64]bool{1: true, 80: false} {
		now := api.Time(400 * dayMillis)
		floor, at := 5.0, now+api.Time(ahead*dayMillis)
		h := &api.VitalityHistory{Now: now, HistoryFrom: now - 90*dayMillis, Floor: &floor, EvictableAt: &at,
			Points:   []api.HistoryPoint{{At: now - 90*dayMillis, Vitality: 60}, {At: now, Vitality: 6}},
			Forecast: []api.HistoryPoint{{At: now, Vitality: 6}, {At: at, Vitality: 4}}}
		p := newPlot(h, 90, 680, time.UTC)
		if p.end == nil || p.end.silent != want {
			t.Errorf("%d days ahead: %+v, want silent %v", ahead, p.end, want)
		}
		if x, y := p.floorLabel(); x < p.left || x > p.right || y < p.top || y > p.h {
			t.Errorf("the floor's label is outside, at %v, %v", x, y)
		}
	}
}
