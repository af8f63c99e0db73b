package part

import (
	"sort"
	"strconv"
	"strings"
	"time"

	"elowen/shared/api"
)

// plot is the vitality chart in pixels: scales, paths and places for the points
// that the server sent. It reads nothing off a formula; between two points it draws
// a line.
type plot struct {
	w, h                     float64
	left, right, top, bottom float64
	from, to                 api.Time // the time axis

	line, fill, forecast string
	rows, columns        []tick
	stems                []stem
	nowX, nowY           float64
	floorY               float64
	hasFloor             bool
	end                  *endMark
	marks                []mark
}

type tick struct {
	pos   float64
	label string
}

// stem is a recall: the jump from y1 up to y2.
type stem struct{ x, y1, y2 float64 }

// endMark is the sweep that would take the memory.
type endMark struct {
	x, y   float64
	labelY float64 // baseline of the lower of two lines
	anchor string
	beyond bool // further ahead than the chart reaches: no ring
	silent bool // too close to the present for words; the sentence under the chart says it
}

// mark is a point that can be read out.
type mark struct {
	at            api.Time
	x, y          float64
	vitality      float64
	before        float64 // for a recall
	recall, ahead bool
}

const dayMillis = 86_400_000

// newPlot lays a history out in a box of w pixels. zone is where days and months
// begin.
func newPlot(h *api.VitalityHistory, days int, w float64, zone *time.Location) plot {
	p := plot{w: w, h: 236, left: 30, right: w - 18, top: 22, bottom: 210}
	if w < 480 {
		p.h, p.right, p.bottom = 210, w-14, 184
	}
	p.span(h, days)
	p.paths(h)
	p.axes(zone)
	p.place(h)
	return p
}

// span chooses the time axis: the days asked for, as far as the history reaches,
// and as much of what lies ahead as fits beside them.
func (p *plot) span(h *api.VitalityHistory, days int) {
	past := min(int64(h.Now-h.HistoryFrom), int64(days)*dayMillis)
	if len(h.Points) > 0 {
		past = min(max(past, 0), max(int64(h.Now-h.Points[0].At), 0))
	}
	end := h.Now
	if n := len(h.Forecast); n > 0 {
		end = h.Forecast[n-1].At
	}
	if h.EvictableAt != nil {
		end = max(end, *h.EvictableAt)
	}
	ahead := max(int64(end-h.Now), dayMillis)
	// A far future would squeeze the past that was asked for until nothing of it could
	// be read; whoever wants to see further takes the longer range.
	if most := int64(days) * dayMillis * 9 / 2; ahead > most {
		ahead = most
	} else {
		ahead += ahead / 8
	}
	if least := ahead / 12; past < least {
		past = least
	}
	p.from, p.to = h.Now-api.Time(past), h.Now+api.Time(ahead)
}

func (p *plot) x(t api.Time) float64 {
	return p.left + float64(t-p.from)/float64(p.to-p.from)*(p.right-p.left)
}

func (p *plot) y(vitality float64) float64 {
	vitality = min(max(vitality, 0), 100) // whatever was sent
	return p.bottom - vitality/100*(p.bottom-p.top)
}

func (p *plot) paths(h *api.VitalityHistory) {
	var line, ahead strings.Builder
	past := within(h.Points, p.from, h.Now)
	for i, pt := range past {
		segment(&line, i == 0, p.x(pt.At), p.y(pt.Vitality))
	}
	p.line = line.String()
	if len(past) > 0 {
		first, last := p.x(past[0].At), p.x(past[len(past)-1].At)
		p.fill = p.line + "L" + num(last) + " " + num(p.bottom) + "L" + num(first) + " " + num(p.bottom) + "Z"
	}
	future := within(h.Forecast, h.Now, p.to)
	for i, pt := range future {
		segment(&ahead, i == 0, p.x(pt.At), p.y(pt.Vitality))
	}
	p.forecast = ahead.String()
	p.read(past, future, h.Recalls)
}

// read collects the marks and the stems out of the points. A recall is two points
// at one instant.
func (p *plot) read(past, future []api.HistoryPoint, recalls []api.Time) {
	used := make(map[api.Time]bool, len(recalls))
	for _, at := range recalls {
		used[at] = true
	}
	for i, pt := range past {
		m := mark{at: pt.At, x: p.x(pt.At), y: p.y(pt.Vitality), vitality: pt.Vitality}
		if n := len(p.marks); n > 0 && p.marks[n-1].at == pt.At {
			before := p.marks[n-1].vitality
			if p.marks[n-1].recall {
				before = p.marks[n-1].before
			}
			p.marks = p.marks[:n-1]
			if used[pt.At] {
				m.recall, m.before = true, before
			}
		}
		p.marks = append(p.marks, m)
		if m.recall && (i+1 == len(past) || past[i+1].At != pt.At) {
			p.stems = append(p.stems, stem{m.x, p.y(m.before), m.y})
		}
	}
	for _, pt := range future {
		if n := len(p.marks); n > 0 && p.marks[n-1].at >= pt.At {
			continue
		}
		p.marks = append(p.marks, mark{at: pt.At, x: p.x(pt.At), y: p.y(pt.Vitality), vitality: pt.Vitality, ahead: true})
	}
	p.stems = thin(p.stems)
}

// thin leaves out stems that would stand on top of each other; the rightmost stays.
func thin(stems []stem) []stem {
	kept := stems[:0:0]
	for i, s := range stems {
		if i+1 < len(stems) && stems[i+1].x-s.x < 2.5 && len(stems) > 40 {
			continue
		}
		kept = append(kept, s)
	}
	return kept
}

func (p *plot) axes(zone *time.Location) {
	for _, v := range []float64{0, 50, 100} {
		p.rows = append(p.rows, tick{p.y(v), strconv.Itoa(int(v))})
	}
	const apart = 62 // pixels that a label needs
	days := float64(p.to-p.from) / dayMillis
	perDay := (p.right - p.left) / days
	for _, step := range []int{1, 2, 4, 7, 14} {
		if float64(step)*perDay >= apart {
			p.dayTicks(zone, step)
			return
		}
	}
	for _, step := range []int{1, 2, 3, 6, 12} {
		if float64(step)*30.4*perDay >= apart || step == 12 {
			p.monthTicks(zone, step)
			return
		}
	}
}

func (p *plot) dayTicks(zone *time.Location, step int) {
	at := time.UnixMilli(int64(p.from)).In(zone)
	day := time.Date(at.Year(), at.Month(), at.Day()+1, 0, 0, 0, 0, zone)
	for ; day.UnixMilli() < int64(p.to); day = day.AddDate(0, 0, step) {
		p.column(day, day.Format("2 Jan"))
	}
}

func (p *plot) monthTicks(zone *time.Location, step int) {
	at := time.UnixMilli(int64(p.from)).In(zone)
	month := time.Date(at.Year(), at.Month()+1, 1, 0, 0, 0, 0, zone)
	for (int(month.Month())-1)%step != 0 {
		month = month.AddDate(0, 1, 0)
	}
	for ; month.UnixMilli() < int64(p.to); month = month.AddDate(0, step, 0) {
		label := month.Format("Jan")
		if month.Month() == time.January {
			label = month.Format("Jan 2006")
		}
		p.column(month, label)
	}
}

// column adds a tick unless its label would leave the chart.
func (p *plot) column(at time.Time, label string) {
	x := p.x(api.Time(at.UnixMilli()))
	if x >= p.left && x+float64(len(label))*6 <= p.w {
		p.columns = append(p.columns, tick{x, label})
	}
}

func (p *plot) place(h *api.VitalityHistory) {
	p.nowX, p.nowY = p.x(h.Now), p.bottom
	if n := len(h.Points); n > 0 {
		p.nowY = p.y(h.Points[n-1].Vitality)
	} else if len(h.Forecast) > 0 {
		p.nowY = p.y(h.Forecast[0].Vitality)
	}
	if h.Floor == nil {
		return
	}
	p.floorY, p.hasFloor = p.y(*h.Floor), true
	if h.EvictableAt == nil {
		return
	}
	e := &endMark{x: p.x(*h.EvictableAt), y: p.floorY, anchor: "end"}
	if n := len(h.Forecast); n > 0 && h.Forecast[n-1].At >= *h.EvictableAt {
		e.y = p.y(h.Forecast[n-1].Vitality)
	}
	if e.x > p.right {
		e.x, e.beyond = p.right-4, true
	}
	const apart = 60 // pixels from the label of the present
	e.silent = e.x-p.nowX < apart
	p.label(e)
	p.end = e
}

// label finds room for the two lines above the ring: over the curve where it still
// stands high beside it, on the other side of the ring near the left edge.
func (p *plot) label(e *endMark) {
	const width, lift = 76.0, 16.0
	left := e.x + 4 - width
	if left < p.left {
		e.anchor, left = "start", e.x-4
	}
	e.labelY = e.y - lift
	for _, m := range p.marks {
		if m.ahead && m.x >= left-6 && m.x <= left+width+6 {
			e.labelY = min(e.labelY, m.y-10)
		}
	}
	e.labelY = max(e.labelY, p.top+16)
}

// nowLabel is where the label of the present stands: after its line, or, where there
// is no room, before it and above the curve that led there.
func (p *plot) nowLabel() (anchor string, x, y float64) {
	const width, gap = 52, 9
	x, y = p.nowX+gap, p.nowY-6
	if x+width > p.right {
		anchor, x = "end", p.nowX-gap
		for _, m := range p.marks {
			if !m.ahead && m.x >= x-width {
				y = min(y, m.y-12)
			}
		}
	}
	return anchor, x, max(y, p.top-8)
}

// floorLabel is where the floor's label stands at its line: the first place, from
// the left end on, that neither the curve nor another line or label goes through.
func (p *plot) floorLabel() (x, y float64) {
	const width, above, below = 52.0, -5.0, 13.0
	for _, x := range []float64{p.left + 4, p.nowX + 6, p.right - width, p.nowX - 6 - width, (p.left + p.nowX - width) / 2, (p.nowX + p.right - width) / 2} {
		for _, dy := range []float64{above, below} {
			if p.free(x, x+width, p.floorY+dy-11, p.floorY+dy+3) {
				return x, p.floorY + dy
			}
		}
	}
	if p.nowX < p.left+width+4 {
		return p.nowX + 6, p.floorY + above
	}
	return p.left + 4, p.floorY + above
}

// free tells whether a box inside the chart has nothing in it.
func (p *plot) free(x1, x2, y1, y2 float64) bool {
	if x1 < p.left || x2 > p.right || y1 < p.top || y2 > p.bottom || p.nowX > x1-3 && p.nowX < x2+3 {
		return false
	}
	if e := p.end; e != nil && x2 > e.x-84 && x1 < e.x+84 && y2 > e.labelY-26 && y1 < e.y+6 {
		return false
	}
	for i, m := range p.marks {
		from, top, low := m, m.y, m.y
		if m.recall {
			low = max(low, p.y(m.before))
		}
		if i > 0 {
			from = p.marks[i-1]
			top, low = min(top, from.y), max(low, from.y)
		}
		if m.x >= x1 && from.x <= x2 && low >= y1 && top <= y2 {
			return false
		}
	}
	return true
}

// nearest is the index of the mark closest to x; −1 where there is none.
func (p *plot) nearest(x float64) int {
	i := sort.Search(len(p.marks), func(i int) bool { return p.marks[i].x >= x })
	if i == len(p.marks) || i > 0 && x-p.marks[i-1].x < p.marks[i].x-x {
		i--
	}
	return i
}

// nextRecall is the next mark after i in a direction that is a recall or an end of
// the curve.
func (p *plot) nextRecall(i, step int) int {
	for i += step; i > 0 && i < len(p.marks)-1; i += step {
		if p.marks[i].recall {
			return i
		}
	}
	return min(max(i, 0), len(p.marks)-1)
}

// within are the points of a time span, with the one before it moved to its edge
// left out: a curve may begin later than the axis, never earlier.
func within(points []api.HistoryPoint, from, to api.Time) []api.HistoryPoint {
	first := sort.Search(len(points), func(i int) bool { return points[i].At >= from })
	last := sort.Search(len(points), func(i int) bool { return points[i].At > to })
	if first >= last {
		return nil
	}
	return points[first:last]
}

func segment(b *strings.Builder, first bool, x, y float64) {
	if first {
		b.WriteByte('M')
	} else {
		b.WriteByte('L')
	}
	b.WriteString(num(x))
	b.WriteByte(' ')
	b.WriteString(num(y))
}
