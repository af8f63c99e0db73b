package endpoint

import (
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"elowen/shared/fault"
	"elowen/shared/setting"
)

var errNoVector = fault.New(fault.Corrupt, "This is no vector.")

// ParseVector reads a JSON array of numbers, each within float32. raw is one JSON
// value, syntactically right. A null in it is no number. Errors: Corrupt.
func ParseVector(raw jsontext.Value) ([]float32, error) {
	if len(raw) < 2 || raw[0] != '[' || raw[len(raw)-1] != ']' {
		return nil, errNoVector
	}
	most := int(setting.Get("embedding.width").Max)
	v := make([]float32, 0, min(len(raw)/10+1, most))
	for i := 1; i < len(raw)-1; {
		switch raw[i] {
		case ' ', '\t', '\r', '\n', ',':
			i++
			continue
		}
		end := i
		for end < len(raw)-1 && (raw[end] >= '0' && raw[end] <= '9' || raw[end] == '-' || raw[end] == '+' || raw[end] == '.' || raw[end] == 'e' || raw[end] == 'E') {
			end++
		}
		x, err := strconv.ParseFloat(string(raw[i:end]), 32)
		if err != nil || math.IsInf(x, 0) || len(v) == most {
			return nil, errNoVector
		}
		v = append(v, float32(x))
		i = end
	}
	return v, nil
}
