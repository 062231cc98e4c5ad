//go:build !linux

package load

// deadlyChild does nothing: this platform has no reliable way to start the test's binary again.
func deadlyChild(string) (code int, ok bool) { return 0, false }
