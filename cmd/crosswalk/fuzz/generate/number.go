package generate

import (
	"math"
	"slices"
)

// nearest returns the number within a range that is a multiple of others, next to x, as JSON
// decoding returns it: an int64 if it is one.
func nearest(x, least, most float64, multiples []float64, whole bool) (any, bool) {
	if whole && (x < math.MinInt64 || x >= math.MaxInt64) || math.IsNaN(x) || math.IsInf(x, 0) {
		return nil, false
	}
	step := 0.0
	if len(multiples) > 0 {
		step = slices.Max(multiples)
	} else if whole {
		step = 1
	}
	candidates := []float64{x}
	if step > 0 {
		candidates = []float64{math.Round(x/step) * step, math.Ceil(x/step) * step, math.Floor(x/step) * step, math.Ceil(least/step) * step}
	}
	for _, c := range candidates {
		if c < least || c > most || math.IsInf(c, 0) || math.IsNaN(c) {
			continue
		}
		if c == math.Trunc(c) && math.Abs(c) < 1<<62 {
			return int64(c), true
		}
		if !whole {
			return c, true
		}
	}
	return nil, false
}

func number(value any) float64 {
	switch v := value.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return math.NaN()
}
