//go:build !wasip1

package crosswalk

// hostLog writes to standard error; it replaces the gateway's function in tests.
func hostLog(level Level, text []byte) {
	println(level.String(), string(text))
}
