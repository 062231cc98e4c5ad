package host

import "context"

// Module converts objects along the edges that it serves. It is what the gateway's runtime offers of a loaded .wasm file, or a
// function in a test. It is safe for concurrent use.
type Module interface {
	// Convert converts objects, which are all of one kind and in apiVersion from, to apiVersion to; both are "group/version".
	// converted has one entry for each object, in order. refused is nil unless the guest refused objects: index to the guest's own
	// words, with converted nil at that index; it may be nil at all others too then, for nothing comes of such a review.
	//
	// Convert neither changes objects nor keeps them after it returned, and what it returned does not change any more.
	//
	// # Errors
	//
	// An error means that the batch as a whole came to nothing. It may say what kind of fault it was by a method Fault() string,
	// which returns one of the Fault constants; without it the fault is FaultInternal. A method Object() (index int, known bool)
	// may name the object that the module failed at.
	Convert(ctx context.Context, from, to string, objects [][]byte) (converted [][]byte, refused map[int]string, err error)

	// Name returns the module's file name, for example CronTab.stable.example.com_v1_v2.wasm.
	Name() string

	// Digest returns the SHA-256 of the module's bytes in hexadecimal.
	Digest() string
}

// A Module may also have a method
//
//	Fields(from, to string) []string
//
// which returns the fields that it declares for a conversion between two bare versions, as paths of docs/abi.md; nil means none. With
// fields, it is shown these only, with the object's apiVersion and kind, and its answer is put in their place.
type projected interface {
	Fields(from, to string) []string
}

// Predecessor is the version of a module that served until a short time ago, and stands by for a while: conversions are pure, so that objects
// that the newer version failed can be given to the one before.
type Predecessor interface {
	Module
	// StoodIn is told that its answers were taken for objects that the newer version had failed, by what kind of failure and in which words.
	StoodIn(failure, message string)
}

// Edge is one direction of a conversion between two versions of a kind, and the module that does it. From and To are bare
// versions: "v1".
type Edge struct {
	Group, Kind, From, To string
	Module                Module
	// Previous converts what Module fails; nil if nobody does. It may declare other fields than Module, and is shown its own.
	Previous Predecessor
}

// Modules is where the modules that serve now come from.
type Modules interface {
	// Pin returns the routes that serve now; nil means none. They and their modules stay usable until release is called, which
	// must happen exactly once.
	Pin() (routes *Routes, release func())
}

// Modules may also have a method
//
//	Missed(group, kind string)
//
// which is told that nothing converts what a review asked for, by the names that the request has.
type missed interface{ Missed(group, kind string) }

// Modules may also have a method
//
//	Loading(group, kind string) Loading
//
// which names a module of a kind that is being loaded now or waits for its turn. While one is, a review without a route is put off for a
// time instead of failed.
type loader interface {
	Loading(group, kind string) Loading
}

// FailedModule is a module's file that is there to convert a kind and is not loaded, with nothing in its stead.
type FailedModule struct{ Group, Kind, File, Reason string }
