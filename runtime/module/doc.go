// Package module serves one converter module: it cuts conversions into batches, lends instances,
// calls the guest under limits of fuel, time and memory, and puts each instance back into its
// initial state.
//
// [Module.Convert] is the way in. A conversion passes these parts, each of which is a file:
//
//	convert.go    batches, one after the other
//	breaker.go    answers for a module that fails at everything, or failed at the same objects
//	pool.go       lends one of the module's instances; budget.go bounds those of all modules
//	instance.go   writes the request into the guest, calls it and copies the answer out
//	call.go       the limits of that call, and the guest's calls of the host (hostcalls.go)
//
// A command (command.go) takes the place of an instance for a program without an SDK. Package
// runtime/load makes modules of files; nothing here reads a file or compiles a module for itself.
package module
