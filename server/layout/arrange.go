package layout

import (
	"cmp"
	"math"
	"slices"
)

func sortByID(list []placed) {
	slices.SortFunc(list, func(a, b placed) int { return cmp.Compare(a.id, b.id) })
}

const (
	hubCircle = 0.36  // radius of the circle of hubs
	seedStep  = 0.004 // between what stands around a hub, at least
	seedMost  = 0.012
)

// arrange gives everything its place, and answers the groups that have a label. p is nil
// where nothing is placed by meaning: then each category has a hub on a circle. What has
// no vector beside such that have stands around the middle of its category.
func arrange(list []placed, p *picture) (groups [][]int) {
	rest := map[int64][]int{} // by category
	if p == nil {
		for i := range list {
			list[i].meant = false
			rest[list[i].category] = append(rest[list[i].category], i)
		}
		return hubs(list, rest)
	}
	middle := map[int64]*[3]float64{}
	for i := range list {
		m := &list[i]
		slot, ok := p.slots[m.id]
		if m.meant = m.meant && ok; !m.meant {
			rest[m.category] = append(rest[m.category], i)
			continue
		}
		m.x, m.y = p.frame.of(p.at[slot])
		m.x, m.y = min(max(m.x, 0.005), 0.995), min(max(m.y, 0.005), 0.995)
		sum := middle[m.category]
		if sum == nil {
			sum = new([3]float64)
			middle[m.category] = sum
		}
		sum[0], sum[1], sum[2] = sum[0]+m.x, sum[1]+m.y, sum[2]+1
	}
	for category, members := range rest {
		x, y := 0.5, 0.97
		if sum := middle[category]; sum != nil {
			x, y = sum[0]/sum[2], sum[1]/sum[2]
		}
		for n, i := range members {
			dx, dy := seed(n, seedStep)
			list[i].x, list[i].y = x+dx, y+dy
		}
	}
	return hills(list)
}

// hubs places each category's memories around a hub of its own.
func hubs(list []placed, of map[int64][]int) (groups [][]int) {
	categories := make([]int64, 0, len(of))
	most := 0
	for category, members := range of {
		categories = append(categories, category)
		most = max(most, len(members))
	}
	slices.Sort(categories)
	// As wide apart as the largest still fits between its neighbours.
	room := hubCircle * math.Sin(math.Pi/float64(max(len(categories), 3)))
	step := min(max(room/math.Sqrt(float64(most)+1), 0.0005), seedMost)
	for n, category := range categories {
		x, y := 0.5, 0.5
		if len(categories) > 1 {
			a := 2*math.Pi*float64(n)/float64(len(categories)) - math.Pi/2
			x, y = x+hubCircle*math.Cos(a), y+hubCircle*math.Sin(a)
		}
		for i, at := range of[category] {
			dx, dy := seed(i, step)
			list[at].x, list[at].y = x+dx, y+dy
		}
		groups = append(groups, of[category])
	}
	return largest(groups)
}
