package rawjson

import (
	"math"
	"strconv"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

const (
	// maxInt64 and minInt64 are the digits of the largest and the smallest int64.
	maxInt64 = "9223372036854775807"
	minInt64 = "9223372036854775808"

	// tooLarge is the first integer that a float64 rounds to infinity: 2^1024 - 2^970, halfway
	// between the largest float64 and the next number of its spacing.
	tooLarge = "1797693134862315807937289714053034150799341327100378269361737789804449682927647509466490179775872070963" +
		"3028641669288791094655554785194040263065748867150582068190890200070838367627385484581771153176447573027" +
		"0069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792"

	// exponentCap is the exponent at which counting stops: no document has enough digits to
	// compensate a larger one. One more digit still fits an int.
	exponentCap = math.MaxInt / 16
)

// number reads the number that begins at i. It returns the position after it, or -1.
func (s *source) number(i int) int {
	doc, start := s.doc, i
	negative := doc[i] == '-'
	if negative {
		i++
	}
	first := i
	for i < len(doc) && isDigit(doc[i]) {
		i++
	}
	whole := doc[first:i]
	switch {
	case len(whole) == 0:
		return s.failExpected(i, "a digit after '-'")
	case whole[0] == '0' && len(whole) > 1:
		return s.fail(start, "number with a leading zero")
	case i == len(doc) || doc[i] != '.' && doc[i]|0x20 != 'e':
		switch {
		case len(whole) < len(maxInt64), fitsInt64(whole, negative), floatHolds(whole):
			return i
		case len(whole) >= len(tooLarge) && !finite(whole, nil, 0):
			return s.failNumber(start, i)
		}
		return s.fail(start, "number "+foreign.Shorten(doc[start:i], maxToken)+" has more digits than an int64 or a float64 keeps")
	}
	var fraction []byte
	if doc[i] == '.' {
		i++
		from := i
		for i < len(doc) && isDigit(doc[i]) {
			i++
		}
		if fraction = doc[from:i]; len(fraction) == 0 {
			return s.failExpected(i, "a digit after '.'")
		}
	}
	exponent := 0
	if i < len(doc) && doc[i]|0x20 == 'e' {
		i++
		down := false
		if i < len(doc) && (doc[i] == '+' || doc[i] == '-') {
			down = doc[i] == '-'
			i++
		}
		from := i
		for ; i < len(doc) && isDigit(doc[i]); i++ {
			exponent = min(exponent*10+int(doc[i]-'0'), exponentCap)
		}
		if i == from {
			return s.failExpected(i, "a digit in the exponent")
		}
		if down {
			exponent = -exponent
		}
	}
	if len(whole)+exponent >= len(tooLarge) && !finite(whole, fraction, exponent) {
		return s.failNumber(start, i)
	}
	return i
}

func (s *source) failNumber(start, end int) int {
	return s.fail(start, "number "+foreign.Shorten(s.doc[start:end], maxToken)+" is neither an int64 nor a finite float64")
}

func isDigit(c byte) bool { return c-'0' <= 9 }

// fitsInt64 reports whether the digits, at least as many as the largest int64 has and without a
// leading zero, are an int64.
func fitsInt64(digits []byte, negative bool) bool {
	if len(digits) > len(maxInt64) {
		return false
	}
	if negative {
		return string(digits) <= minInt64
	}
	return string(digits) <= maxInt64
}

// floatHolds reports whether an integer beyond int64 survives as a float64: its digits are all
// digits of the float64, or the shortest digits that identify it. API servers keep such integers as
// a float64, and print the shortest digits up to 1e21: an object may have 100000000000000000000
// where its schema says number. An integer that would lose digits is rejected, because storing it
// would change it.
func floatHolds(digits []byte) bool {
	if len(digits) > len(tooLarge) {
		return false
	}
	f, err := strconv.ParseFloat(string(digits), 64)
	if err != nil {
		return false
	}
	var room [len(tooLarge)]byte
	return string(strconv.AppendFloat(room[:0], f, 'f', -1, 64)) == string(digits) || string(strconv.AppendFloat(room[:0], f, 'f', 0, 64)) == string(digits)
}

// finite reports whether whole.fraction × 10^exponent rounds to a finite float64. It compares
// digits instead of converting them: that is exact, and reads each digit once.
func finite(whole, fraction []byte, exponent int) bool {
	digit := func(i int) byte {
		switch {
		case i < len(whole):
			return whole[i]
		case i-len(whole) < len(fraction):
			return fraction[i-len(whole)]
		}
		return '0'
	}
	// Leading zeros do not count; the number is 0.d₁d₂d₃… × 10^magnitude from the first other
	// digit.
	n, zeros := len(whole)+len(fraction), 0
	for zeros < n && digit(zeros) == '0' {
		zeros++
	}
	magnitude := len(whole) - zeros + exponent
	switch {
	case zeros == n, magnitude < len(tooLarge):
		return true
	case magnitude > len(tooLarge):
		return false
	}
	for i := range len(tooLarge) {
		if d := digit(zeros + i); d != tooLarge[i] {
			return d < tooLarge[i]
		}
	}
	return false
}
