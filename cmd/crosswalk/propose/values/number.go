package values

import (
	"encoding/json"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// maxNumber is the length of a number that is compared.
const maxNumber = 40

// numberOf returns a number; nil for other values and those that no field of an API has.
func numberOf(v any) *big.Rat {
	n, ok := v.(json.Number)
	if !ok || len(n) > maxNumber {
		return nil
	}
	if strings.ContainsAny(string(n), "eE") {
		f, err := strconv.ParseFloat(string(n), 64)
		if f == 0 && err == nil {
			return new(big.Rat)
		}
		if err != nil || f > 1e30 || f < -1e30 || f < 1e-30 && f > -1e-30 {
			return nil // its exponent may be a billion
		}
	}
	r, _ := new(big.Rat).SetString(string(n))
	return r
}

var quantityText = regexp.MustCompile(`^([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|)$`)

// quantityOf returns the number of a quantity; nil for other texts and those with an exponent.
func quantityOf(v any) *big.Rat {
	if n := numberOf(v); n != nil {
		return n // a field may have either
	}
	s, ok := v.(string)
	if !ok || len(s) > maxNumber {
		return nil
	}
	m := quantityText.FindStringSubmatch(s)
	if m == nil {
		return nil
	}
	r, ok := new(big.Rat).SetString(m[1])
	if !ok {
		return nil
	}
	if m[2] != "" {
		r.Mul(r, quantityUnits[m[2]])
	}
	return r
}

// durationOf returns the nanoseconds of a duration; nil for other texts.
func durationOf(v any) *big.Rat {
	s, ok := v.(string)
	if !ok || len(s) > maxNumber {
		return nil
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return nil
	}
	return new(big.Rat).SetInt64(int64(d))
}

// Units of package verbs, with the number that one has.
var (
	durationUnits = map[string]*big.Rat{"ns": big.NewRat(1, 1), "us": big.NewRat(1e3, 1), "ms": big.NewRat(1e6, 1), "s": big.NewRat(1e9, 1), "min": big.NewRat(60e9, 1), "h": big.NewRat(3600e9, 1)}
	quantityUnits = map[string]*big.Rat{"n": big.NewRat(1, 1e9), "u": big.NewRat(1, 1e6), "m": big.NewRat(1, 1e3), "1": big.NewRat(1, 1), "k": big.NewRat(1e3, 1), "M": big.NewRat(1e6, 1),
		"G": big.NewRat(1e9, 1), "T": big.NewRat(1e12, 1), "P": big.NewRat(1e15, 1), "E": big.NewRat(1e18, 1),
		"Ki": big.NewRat(1<<10, 1), "Mi": big.NewRat(1<<20, 1), "Gi": big.NewRat(1<<30, 1), "Ti": big.NewRat(1<<40, 1), "Pi": big.NewRat(1<<50, 1), "Ei": big.NewRat(1<<60, 1)}
	// unitOrder is the order in which units are tried: those of memory and disks first.
	unitOrder = []string{"s", "ms", "us", "ns", "min", "h", "M", "Mi", "G", "Gi", "k", "Ki", "T", "Ti", "P", "Pi", "E", "Ei", "1", "m", "u", "n"}
	// unitWords are the units of rules by the units that names say.
	unitWords = map[string]string{"bytes": "1", "KB": "k", "KiB": "Ki", "MB": "M", "MiB": "Mi", "GB": "G", "GiB": "Gi", "TB": "T", "TiB": "Ti", "ns": "ns", "µs": "us", "ms": "ms", "s": "s",
		"min": "min", "h": "h", "cores": "1", "millicores": "m", "Hz": "1", "kHz": "k", "MHz": "M", "GHz": "G", "bit/s": "1", "kbit/s": "k", "Mbit/s": "M", "Gbit/s": "G"}
)
