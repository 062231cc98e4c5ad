// Package load makes serving modules of files. It trusts no byte of them: a file passes all of the
// following before its module may serve.
//
//	candidate.go reads the sidecar, and checks the digest and the limits in it
//	compile.go   takes the code from the compile cache or from a vetting child, or has it compiled
//	build.go     inflates, scans and rewrites the module, checks its imports, and compiles it
//	vet.go       first has a child process under limits of time and memory do all of this
//	             (vetchild.go), and takes the compiled code from it (codefile.go, handover_linux.go)
//	loader.go    starts the module, and has it pass its golden cases (golden.go)
//	selftest.go  in the child, compares the compiled module with the interpreter
//
// A module that fails is an error for the person who installed the file. Package runtime decides
// what to load and when; package runtime/module serves what was loaded.
package load
