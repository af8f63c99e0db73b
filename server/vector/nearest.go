package vector

import (
	"cmp"
	"slices"
)

// nearest keeps the most hits that are nearest: a heap with the farthest on top.
type nearest struct {
	most int
	list []Hit
}

// before tells which of two hits stands before the other.
func before(a, b Hit) int {
	return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(b.Memory, a.Memory))
}

// wants tells whether a hit would be kept.
func (n *nearest) wants(cosine float32, id int64) bool {
	if len(n.list) < n.most {
		return true
	}
	top := &n.list[0]
	return float64(cosine) > top.Cosine || float64(cosine) == top.Cosine && id > top.Memory
}

// put keeps a hit that wants said yes to.
func (n *nearest) put(h Hit) {
	if len(n.list) < n.most {
		n.list = append(n.list, h)
		for i := len(n.list) - 1; i > 0; {
			up := (i - 1) / 2
			if before(n.list[i], n.list[up]) < 0 {
				break
			}
			n.list[i], n.list[up] = n.list[up], n.list[i]
			i = up
		}
		return
	}
	n.list[0] = h
	for i := 0; ; {
		far := i
		for _, down := range [2]int{2*i + 1, 2*i + 2} {
			if down < len(n.list) && before(n.list[down], n.list[far]) > 0 {
				far = down
			}
		}
		if far == i {
			return
		}
		n.list[i], n.list[far] = n.list[far], n.list[i]
		i = far
	}
}

// sorted are the hits, the nearest first. The heap is of no use afterwards.
func (n *nearest) sorted() []Hit {
	slices.SortFunc(n.list, before)
	if n.list == nil {
		return []Hit{}
	}
	return n.list
}
