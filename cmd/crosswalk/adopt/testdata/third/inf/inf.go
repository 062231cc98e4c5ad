// Package inf has decimals, with a cache of powers that functions fill.
package inf

var powers = map[int]string{}

func Parse(s string) string {
	power(len(s))
	return s
}

func power(n int) {
	if powers[n] == "" {
		powers[n] = "1"
	}
}

func Round(s string) string {
	if p := powers[len(s)]; p != "" {
		return s
	}
	return s + ""
}
