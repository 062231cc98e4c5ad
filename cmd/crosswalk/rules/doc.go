// Package rules compiles declarative conversion rules, a YAML file for one kind and its versions,
// to a converter module. docs/author/rules.md is the reference of the format.
//
// [Parse] reads and checks a file; every rule states which fields of two versions correspond, and
// the package derives the operations of both directions from it. [File.Module] writes the
// operations into a copy of a prebuilt interpreter (sdk/rules), which is an ordinary reactor
// module. Generating WebAssembly would need an allocator of our own, and generating C a compiler on
// the author's machine. The built interpreter is in the repository, because make build must work
// with Go alone; a test builds it from source and compares.
//
// A file takes this way, and no package imports one that comes later: fieldpath, program and
// vocabulary are tables and types, syntax reads the file, lowering derives the operations of a list of
// rules with the help of verbs, this package joins them for each pair of versions, and interpreter
// makes the module. A new verb is a row in vocabulary, a function in verbs, and, if no operation does
// its work, an operation in program and sdk/rules; package prove decides about it with a lemma.
//
// Rules name corresponding fields instead of steps, because steps would have to run backwards. There
// is not an expression language, because a tool cannot derive the inverse of an expression.
package rules
