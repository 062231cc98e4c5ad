// Package load makes serving modules of files. It trusts no byte of them: a file passes all of the
// following before its module may serve.
//
//	compile.go   inflates, scans and rewrites the module, checks its imports, and compiles it; the
//	             code may come from the compile cache or from a vetting child
//	vet.go       first has a child process under limits of time and memory do all of this
//	             (vetchild.go), and takes the compiled code from it (codefile.go, handover_linux.go)
//	loader.go    starts the module, and has it pass its golden cases (golden.go)
//	selftest.go  in the child, compares the compiled module with the interpreter
//
// A module that fails is an error for the person who installed the file. Package runtime decides
// what to load and when; package runtime/module serves what was loaded.
package load
