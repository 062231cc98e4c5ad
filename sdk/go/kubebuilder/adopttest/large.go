package adopttest

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"strconv"
)

// largestVariable names the environment variable with the largest number that an object may have.
// crosswalk adopt sets it if the operator's code ran out of memory: some code makes a list with as
// many elements as a field says.
const largestVariable = "CROSSWALK_ADOPT_LARGEST"

// largestNumber returns the largest number that an object may have; +Inf without a limit.
func largestNumber() float64 {
	if n, err := strconv.ParseFloat(os.Getenv(largestVariable), 64); err == nil {
		return n
	}
	return math.Inf(1)
}

// tooLarge reports whether an object has a number beyond the limit.
func tooLarge(text []byte, most float64) bool {
	if math.IsInf(most, 1) {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return false // its end, or no JSON, which the conversion refuses itself
		}
		if n, ok := token.(json.Number); ok {
			if f, err := n.Float64(); err != nil || math.Abs(f) > most {
				return true
			}
		}
	}
}
