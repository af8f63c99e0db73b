package retention

import "elowen/server/vitality"

// fadesIn is after how many days a memory of each importance may go that was made
// now and is never used; none while retention is off.
func fadesIn(p vitality.Policy) ([]float64, error) {
	list := []float64{}
	if !p.Enabled {
		return list, nil
	}
	const made = int64(vitality.DayMillis) // any instant will do
	for n := 1; n <= vitality.Levels; n++ {
		at, err := vitality.FadesAt(vitality.Memory{Importance: n, CreatedAt: made, Active: true}, p)
		if err != nil {
			return nil, err
		}
		list = append(list, float64(at-made)/vitality.DayMillis)
	}
	return list, nil
}
