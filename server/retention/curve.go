package retention

import (
	"elowen/server/vitality"
	"elowen/shared/api"
	"elowen/shared/setting"
)

// Points of a curve: close together where it falls fast, at its beginning.
const (
	denseDays  = 30
	denseSteps = 30
	wideSteps  = 60
)

// curves are how memories of each importance would fade under the policy within
// the days asked for, used preview.uses times and not since.
func curves(p vitality.Policy, days int) (*api.Curves, error) {
	out := &api.Curves{Uses: setting.Int("preview.uses"), Days: curveDays(days), Levels: make([]api.Curve, 0, vitality.Levels)}
	p.GraceDays = 0 // it is about how they fade, not from when they may go
	const used = int64(2 * dayMillis)
	for n := 1; n <= vitality.Levels; n++ {
		m := vitality.Memory{Importance: n, UseCount: int64(out.Uses), CreatedAt: used / 2, LastUsedAt: used, Active: true}
		c := api.Curve{Importance: n, Vitality: make([]float64, len(out.Days))}
		for i, day := range out.Days {
			v, err := vitality.Vitality(m, p, used+int64(day*dayMillis))
			if err != nil {
				return nil, err
			}
			c.Vitality[i] = v
		}
		at, err := vitality.FadesAt(m, p)
		if err != nil {
			return nil, err
		}
		c.FloorDays = max(0, float64(at-used)/dayMillis)
		out.Levels = append(out.Levels, c)
	}
	return out, nil
}

func curveDays(days int) []float64 {
	var list []float64
	dense := min(float64(days), denseDays)
	for i := range denseSteps + 1 {
		list = append(list, dense*float64(i)/denseSteps)
	}
	if wide := float64(days) - dense; wide > 0 {
		for i := 1; i <= wideSteps; i++ {
			list = append(list, dense+wide*float64(i)/wideSteps)
		}
	}
	return list
}
