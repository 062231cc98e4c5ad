package crosswalk

import "runtime"

// panicked returns where the converter panicked, as file:line, for its author: the innermost
// function that is neither Go's nor this package's, if there is one. It is called by the function
// that recovers.
func panicked() string {
	const sdk = "github.com/crosswalk-gateway/crosswalk/sdk/go"
	within := func(function, prefix string) bool {
		return len(function) >= len(prefix) && function[:len(prefix)] == prefix
	}
	var calls [64]uintptr
	frames := runtime.CallersFrames(calls[:runtime.Callers(3, calls[:])])
	innermost := ""
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if f.Function == sdk+".(*registry).convert" { // the SDK called the converter
			break
		}
		if f.File == "" || within(f.Function, "runtime.") {
			continue
		}
		at := string(appendf(nil, "%s:%d", []any{f.File, f.Line}))
		if !within(f.Function, sdk) {
			return at
		}
		if innermost == "" {
			innermost = at
		}
	}
	return innermost
}
