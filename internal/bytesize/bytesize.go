// Package bytesize reads and writes numbers of bytes in flags and files: digits, and Ki, Mi or Gi
// as Kubernetes writes them.
package bytesize

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

type unit struct {
	suffix string
	shift  int
}

// units returns the units, the largest first.
func units() [3]unit { return [...]unit{{"Gi", 30}, {"Mi", 20}, {"Ki", 10}} }

// Parse reads a size such as 67108864 or 64Mi. It reports false for every other text and for sizes
// that an int64 cannot hold.
func Parse(text string) (bytes int64, ok bool) {
	digits, shift := text, 0
	for _, u := range units() {
		if before, found := strings.CutSuffix(text, u.suffix); found {
			digits, shift = before, u.shift
			break
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64>>shift {
		return 0, false
	}
	return n << shift, true
}

// Format writes a size in the largest unit that divides it.
func Format(bytes int64) string {
	for _, u := range units() {
		if bytes != 0 && bits.TrailingZeros64(uint64(bytes)) >= u.shift {
			return strconv.FormatInt(bytes>>u.shift, 10) + u.suffix
		}
	}
	return strconv.FormatInt(bytes, 10)
}

// Value is a number of bytes as the value of a flag.
type Value int64

// Set takes 67108864, 64Mi and 64MiB.
func (v *Value) Set(text string) error {
	plain := text
	if unit, ok := strings.CutSuffix(text, "iB"); ok {
		plain = unit + "i"
	}
	bytes, ok := Parse(plain)
	if !ok {
		return fmt.Errorf("%q is not a size: use a number of bytes, or a number with Ki, Mi or Gi such as 64Mi", text)
	}
	*v = Value(bytes)
	return nil
}

// String writes a size in the largest unit that divides it.
func (v *Value) String() string { return Format(int64(*v)) }

// Type is the name of the value in --help.
func (v *Value) Type() string { return "size" }
