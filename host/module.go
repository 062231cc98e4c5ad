package host

import (
	"context"
	"time"

	"github.com/crosswalk-gateway/crosswalk/host/schema"
)

// Module converts objects along the edges that it serves: a loaded .wasm file of the gateway's
// runtime, or a function in a test. It is safe for concurrent use.
type Module interface {
	// Convert converts objects, which are all of one kind and in apiVersion from, to apiVersion to;
	// both are "group/version". converted has one entry for each object, in order. refused is nil
	// unless the guest refused objects: it maps an index to the guest's own text. converted is nil
	// at that index, and may be nil at all indices, because the review fails.
	//
	// Convert neither changes objects nor keeps them after it returned. Its results do not change
	// any more. They depend on the objects and the versions alone, so that they can be cached.
	//
	// # Errors
	//
	// An error means that the whole batch failed. An error that is a Fault names the kind of fault;
	// any other error is faults.Internal.
	Convert(ctx context.Context, from, to string, objects [][]byte) (converted [][]byte, refused map[int]string, err error)

	// Name returns the module's file name, for example CronTab.stable.example.com_v1_v2.wasm.
	Name() string

	// Digest returns the SHA-256 of the module's bytes in hexadecimal.
	Digest() string

	// Fields returns the fields that the module declares for a conversion between two bare
	// versions, as paths of docs/spec/abi.md; nil if it declares none. A module with fields sees only
	// these, with the object's apiVersion and kind, and its output replaces them.
	Fields(from, to string) []string
}

// Fault is an error of Module.Convert that names the kind of fault.
type Fault interface {
	error
	// Fault returns the kind of fault, one of package faults.
	Fault() string
	// Object returns the index of the object that the module failed at, if that is known.
	Object() (index int, known bool)
}

// PreviousModule is the version of a module that served until a short time ago. It converts the
// batches that the new version fails, because conversions are pure functions of the objects.
type PreviousModule interface {
	Module
	// FellBack reports that its outputs replaced a failure of the new version: its reason and its
	// message.
	FellBack(reason, message string)
}

// Edge is one direction of a conversion between two versions of a kind, with the module that
// provides it. From and To are bare versions: "v1".
type Edge struct {
	Group, Kind, From, To string
	Module                Module
	// Previous converts the batches that Module fails; nil if there is no previous version. It may
	// declare other fields than Module and sees its own.
	Previous PreviousModule
}

// Modules provides the modules that serve now.
type Modules interface {
	// Pin returns the current routes; nil means none. They and their modules stay usable until
	// release is called, exactly once.
	Pin() (routes *Routes, release func())

	// Missed reports that no module provides the conversion that a review asked for, by the group
	// and kind of the request. It must be fast.
	Missed(group, kind string)

	// Loading returns the module of a kind that is being loaded or waits to be loaded; the zero
	// value if there is none. A review without a route is then rejected with Retry-After for a time
	// instead of failed.
	Loading(group, kind string) Loading
}

// Loading names a file of a module or definition that is being loaded, and since when. The zero value
// means that there is none.
type Loading struct {
	File  string
	Since time.Time
}

// Static returns Modules that never change: the routes are valid as long as the process runs.
func Static(routes *Routes) Modules { return static{routes} }

type static struct{ routes *Routes }

func (s static) Pin() (*Routes, func())    { return s.routes, func() {} }
func (static) Missed(_, _ string)          {}
func (static) Loading(_, _ string) Loading { return Loading{} }

// FailedModule is a module's file that provides a kind and failed to load, while no other module
// provides its conversions.
type FailedModule struct{ Group, Kind, File, Reason string }

// Schemas provides the schemas that converted objects are validated against. It is safe for
// concurrent use.
type Schemas interface {
	// Find returns the definition of a kind; nil means that its objects are not validated.
	Find(group, kind string) *schema.CRD
	// Unread returns a definition's file of a kind's group that waits to be read and has no earlier
	// content, and since when; file is "" if there is none. With EnforceSchemas, objects of a kind
	// without a definition wait for it.
	Unread(group, kind string) (file string, since time.Time)
}
