package layout

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"elowen/shared/api"
)

// placed is a memory on the map.
type placed struct {
	id         int64
	owner      int64
	x, y       float64 // 0 to 1
	category   int64
	importance int
	vitality   int
	meant      bool // placed by meaning
}

const (
	gridSide     = 40   // cells of the grid of density
	clustersMost = 14   // that have a label
	clusterLeast = 4    // memories of one
	clusterPart  = 0.01 // of all, that one has at least
	ground       = 0.12 // of the densest cell: what is less belongs to no cluster
	dominant     = 0.6  // part of a cluster that makes its category the cluster's
)

// hills groups what is placed by meaning by the hills of its density.
func hills(list []placed) [][]int {
	var density [gridSide * gridSide]float64
	cell := func(p *placed) int {
		x := min(int(p.x*gridSide), gridSide-1)
		y := min(int(p.y*gridSide), gridSide-1)
		return max(y, 0)*gridSide + max(x, 0)
	}
	for i := range list {
		if list[i].meant {
			density[cell(&list[i])]++
		}
	}
	for range 2 {
		density = smoothed(density)
	}
	top := slices.Max(density[:])
	if top == 0 {
		return nil
	}
	var peak [gridSide * gridSide]int // of each cell: where one comes by going up
	order := make([]int, 0, len(density))
	for c := range density {
		order = append(order, c)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(density[b], density[a]) })
	for _, c := range order {
		peak[c] = c
		if density[c] < ground*top {
			peak[c] = -1
			continue
		}
		best := c
		around(c, func(o int) {
			if density[o] > density[best] || density[o] == density[best] && o < best {
				best = o
			}
		})
		if best != c && peak[best] >= 0 {
			peak[c] = peak[best]
		}
	}
	members := map[int][]int{}
	for i := range list {
		if !list[i].meant {
			continue
		}
		if at := peak[cell(&list[i])]; at >= 0 {
			members[at] = append(members[at], i)
		}
	}
	least := max(clusterLeast, int(clusterPart*float64(len(list))))
	var out [][]int
	for _, m := range members {
		if len(m) >= least {
			out = append(out, m)
		}
	}
	return largest(out)
}

// largest are the groups that are shown, the largest first.
func largest(groups [][]int) [][]int {
	slices.SortFunc(groups, func(a, b []int) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return a[0] - b[0]
	})
	return groups[:min(len(groups), clustersMost)]
}

// around calls fn with the cells beside a cell.
func around(c int, fn func(int)) {
	x, y := c%gridSide, c/gridSide
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			if nx, ny := x+dx, y+dy; (dx != 0 || dy != 0) && nx >= 0 && ny >= 0 && nx < gridSide && ny < gridSide {
				fn(ny*gridSide + nx)
			}
		}
	}
}

func smoothed(d [gridSide * gridSide]float64) (out [gridSide * gridSide]float64) {
	for c := range d {
		out[c] = 2 * d[c]
		around(c, func(o int) { out[c] += d[o] })
	}
	return out
}

// ellipse is a group's cluster, without words.
func ellipse(list []placed, members []int) api.Cluster {
	n := float64(len(members))
	var mx, my, xx, yy, xy float64
	counts := map[int64]int{}
	for _, i := range members {
		mx, my = mx+list[i].x/n, my+list[i].y/n
		counts[list[i].category]++
	}
	for _, i := range members {
		dx, dy := list[i].x-mx, list[i].y-my
		xx, yy, xy = xx+dx*dx/n, yy+dy*dy/n, xy+dx*dy/n
	}
	half, gap := (xx+yy)/2, math.Hypot((xx-yy)/2, xy)
	c := api.Cluster{
		X: unit(mx), Y: unit(my), Major: unit(math.Sqrt(half + gap)), Minor: unit(math.Sqrt(max(half-gap, 0))),
		Angle: math.Round(1000*math.Atan2(2*xy, xx-yy)/2) / 1000, Count: len(members), Words: []string{},
	}
	for id, count := range counts {
		if float64(count) >= dominant*n {
			c.CategoryID = id
		}
	}
	return c
}

// unit is a part of the map's side in its whole numbers.
func unit(v float64) int { return int(math.Round(min(max(v, 0), 1) * api.MapSide)) }

// Labels.
const (
	wordsShown = 2
	wordLeast  = 4  // letters of a word in a label, but of scripts where a letter says more
	wordMost   = 24 // letters
	wordTexts  = 2  // texts that have it, at least
)

// rareWords are, for each group of texts, the words that are frequent in it and rare in
// the others. A word is counted once a text.
func rareWords(groups [][]string) [][]string {
	total := map[string]int{}
	texts := 0
	counts := make([]map[string]int, len(groups))
	shown := map[string]string{} // as it was first written
	for g, group := range groups {
		counts[g] = map[string]int{}
		for _, text := range group {
			texts++
			seen := map[string]bool{}
			for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) }) {
				n := utf8.RuneCountInString(word)
				if key := strings.ToLower(word); n >= wordLeast && n <= wordMost && !seen[key] && !unicode.IsDigit([]rune(word)[0]) {
					seen[key] = true
					counts[g][key]++
					total[key]++
					if shown[key] == "" {
						shown[key] = word
					}
				}
			}
		}
	}
	out := make([][]string, len(groups))
	for g, group := range groups {
		type scored struct {
			word  string
			score float64
		}
		var list []scored
		for word, n := range counts[g] {
			if n < wordTexts {
				continue
			}
			here, elsewhere := float64(n)/float64(len(group)), float64(total[word]-n+1)/float64(texts-len(group)+2)
			if here > elsewhere {
				list = append(list, scored{word, here * math.Log(here/elsewhere)})
			}
		}
		slices.SortFunc(list, func(a, b scored) int {
			if a.score != b.score {
				return cmp.Compare(b.score, a.score)
			}
			return strings.Compare(a.word, b.word)
		})
		out[g] = []string{}
		for _, s := range list[:min(len(list), wordsShown)] {
			out[g] = append(out[g], strings.ToLower(shown[s.word]))
		}
	}
	return out
}
