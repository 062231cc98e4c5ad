//go:build tinygo

package crosswalk

// panicked would say where; TinyGo does not know.
func panicked() string { return "" }
