// Package runtime is the WebAssembly side of the gateway: a directory of converter modules in, conversions out. It knows
// no HTTP and nothing of who asks.
//
// A [Registry] follows the directory and publishes a [Set], the modules that serve from now on. A review acquires the set
// it starts with, calls [Module.Convert] for each step of its route and releases the set; what a reload replaced is closed
// when the last review that used it is done.
//
// A module's bytes are hostile until proven otherwise. They pass the meter (bounds-checking scan, full validation, fuel
// and stack accounting injected) before the engine sees them; each module has an engine of its own, its instances are
// exclusive, put back into their initial state after every batch and thrown away after any fault. docs/abi.md is the
// contract with the guest, docs/threat-model.md what is defended and what is not.
//
// The API of this package is not promised before v1.0.0: a minor version may change it.
package runtime
