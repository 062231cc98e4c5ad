//go:build !wasip1

package crosswalk

// hostLog stands in for the gateway in tests: it writes to standard error.
func hostLog(level Level, text []byte) {
	println(level.String(), string(text))
}
