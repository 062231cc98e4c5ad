//go:build !linux

package module

// deadlyChild: there is no sure way to start the test's binary again, and no such child.
func deadlyChild(string) (code int, ok bool) { return 0, false }
