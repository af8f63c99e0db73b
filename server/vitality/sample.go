package vitality

import (
	"math"
	"slices"
)

// A curve is drawn as a polyline. Its points are exact; between them the line may
// lie above the curve by up to deviation (out of 100), as long as no more than
// budget points are needed for that, and a reader who walks along the points finds
// at least one in each of evenly parts of the time. Jumps come on top.
const (
	deviation = 0.1
	budget    = 300
	evenly    = 60
)

// sample turns consecutive segments into points: two at each cut, just before and
// just after it, at least one at either end, and between them as many as the shape
// needs.
//
// A chord of length h under a curve f that halves every H deviates by
// h²·f·(ln 2/H)²/8, so equal deviation means steps that grow as the square root of
// f falls: steps of equal size in √f.
func sample(segments []segment) []Point {
	start, end := segments[0].from, segments[len(segments)-1].to
	ends := make([][2]float64, len(segments)) // the vitality at both ends of each
	fall := 0.0                               // sum of the falls of √f
	for i, s := range segments {
		ends[i] = [2]float64{s.curve.at(s.from), s.curve.at(s.to)}
		fall += math.Sqrt(ends[i][0]) - math.Sqrt(ends[i][1])
	}
	density := 2 / math.Sqrt(8*deviation) // points for each unit of √f
	density = min(density, budget/fall)

	points := make([]Point, 0, 2*len(segments)+budget+evenly)
	part := 1 // the next of the even parts' ends
	due := 0.0
	var inner []int64
	for i, s := range segments {
		v, w := ends[i][0], ends[i][1]
		points = append(points, Point{s.from, v})
		if i == len(segments)-1 && s.from == s.to {
			break
		}

		inner = inner[:0]
		top, bottom := math.Sqrt(v), math.Sqrt(w)
		due += density * (top - bottom)
		n := int(due)
		due -= float64(n) // many short segments share a point
		for j := 1; j <= n; j++ {
			root := top - (top-bottom)*float64(j)/float64(n+1)
			inner = append(inner, int64(s.curve.reaches(root*root)))
		}
		for ; part < evenly; part++ {
			at := start + int64(float64(end-start)*float64(part)/evenly)
			if at >= s.to {
				break
			}
			inner = append(inner, at)
		}
		inner = append(inner, s.curve.reference) // a bend, where it lies ahead: the clock was put back
		slices.Sort(inner)
		last := s.from
		for _, at := range inner {
			if at > last && at < s.to {
				points = append(points, Point{at, s.curve.at(at)})
				last = at
			}
		}
		points = append(points, Point{s.to, w})
	}
	return points
}
