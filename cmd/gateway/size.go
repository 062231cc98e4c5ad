package main

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// size is a flag's number of bytes: digits, and Ki, Mi or Gi as Kubernetes writes them.
type size int64

var sizeUnits = [...]struct {
	suffix string
	shift  int
}{{"Gi", 30}, {"Mi", 20}, {"Ki", 10}}

// Set takes 67108864, 64Mi and 64MiB.
func (s *size) Set(text string) error {
	digits, shift := text, 0
	for _, u := range sizeUnits {
		if before, ok := strings.CutSuffix(strings.TrimSuffix(text, "B"), u.suffix); ok {
			digits, shift = before, u.shift
			break
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64>>shift {
		return fmt.Errorf("%q is no size: write bytes, or a number with Ki, Mi or Gi such as 64Mi", text)
	}
	*s = size(n << shift)
	return nil
}

// String writes a size in the largest unit that divides it.
func (s *size) String() string {
	for _, u := range sizeUnits {
		if *s != 0 && bits.TrailingZeros64(uint64(*s)) >= u.shift {
			return strconv.FormatInt(int64(*s)>>u.shift, 10) + u.suffix
		}
	}
	return strconv.FormatInt(int64(*s), 10)
}

// Type is what --help calls the value.
func (s *size) Type() string { return "size" }
