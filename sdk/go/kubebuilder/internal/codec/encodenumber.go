package codec

import (
	"fmt"
	"math"
	"strconv"
	"unsafe"
)

func (p *plan) int(v unsafe.Pointer) int64 {
	switch p.bits {
	case 8:
		return int64(*(*int8)(v))
	case 16:
		return int64(*(*int16)(v))
	case 32:
		return int64(*(*int32)(v))
	}
	return *(*int64)(v)
}

func (p *plan) uint(v unsafe.Pointer) uint64 {
	switch p.bits {
	case 8:
		return uint64(*(*uint8)(v))
	case 16:
		return uint64(*(*uint16)(v))
	case 32:
		return uint64(*(*uint32)(v))
	}
	return *(*uint64)(v)
}

func (p *plan) float(v unsafe.Pointer) float64 {
	if p.bits == 32 {
		return float64(*(*float32)(v))
	}
	return *(*float64)(v)
}

// appendFloat writes numbers as ECMAScript does, which encoding/json follows: with an exponent only
// below 1e-6 and from 1e21.
func (p *plan) appendFloat(dst []byte, v unsafe.Pointer) ([]byte, error) {
	f := p.float(v)
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return dst, fmt.Errorf("json: unsupported value: %s", strconv.FormatFloat(f, 'g', -1, p.bits))
	}
	abs, format := math.Abs(f), byte('f')
	if abs != 0 && (p.bits == 64 && (abs < 1e-6 || abs >= 1e21) || p.bits == 32 && (float32(abs) < 1e-6 || float32(abs) >= 1e21)) {
		format = 'e'
	}
	dst = strconv.AppendFloat(dst, f, format, -1, p.bits)
	if n := len(dst); format == 'e' && n >= 4 && string(dst[n-4:n-1]) == "e-0" {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst, nil
}

func appendNumber(dst []byte, s string) ([]byte, error) {
	if s == "" {
		s = "0"
	}
	if n := numberEnd(s, 0); n != len(s) {
		return dst, fmt.Errorf("json: invalid number literal %q", s)
	}
	return append(dst, s...), nil
}
