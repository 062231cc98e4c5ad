// Package rules compiles declarative conversion rules, a YAML file for one kind and its versions,
// to a converter module. docs/author/rules.md is the reference of the format.
//
// [Parse] reads and checks a file; every rule states which fields of two versions correspond, and
// the package derives the operations of both directions from it. [File.Module] writes the
// operations into a copy of a prebuilt interpreter (sdk/rules), which is an ordinary reactor
// module.
package rules
