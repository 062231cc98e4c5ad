// Package runtime is the WebAssembly side of the gateway: it turns a directory of converter modules
// into conversions. It knows neither HTTP nor clients.
//
// A [Registry] follows the directory and publishes a [Set], the modules that serve from now on. A
// review acquires the set it starts with, calls Convert of a module for each step of its route and
// releases the set. A replaced module is closed when the last review that uses it has ended.
//
// A reload passes these files: followed.go watches a directory, directory.go reads it, and
// directories.go joins those of several owners. scan.go has the scan planned: contents.go sorts its
// files, plan.go decides about each (without a lock, and without changing anything), and state.go and
// apply.go record the decisions. queue.go has the new files, of which the workers of workers.go load
// the next, by package load and beside the scans. registry.go takes the results: record.go records
// them (a failure leaves the module that serves, the last good one, in its place), bind.go makes the
// next set of them, which cmd/gateway hands to package host, and probation.go watches the new modules.
// journal.go reports all of this.
//
// A module's bytes are hostile until proven otherwise. They pass the meter (bounds-checking scan,
// full validation, fuel and stack accounting injected) before the engine sees them; each module has
// an engine of its own, its instances are exclusive, reset to their initial state after every batch
// and discarded after any fault. docs/spec/abi.md is the contract with the guest; docs/spec/threat-model.md
// lists the defences and their limits.
//
// The API of this package is not promised before v1.0.0: a minor version may change it.
package runtime
