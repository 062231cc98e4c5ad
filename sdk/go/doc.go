// Package crosswalk is for authors of converter modules in Go. A converter translates the objects
// of one kind of custom resource from one API version to another; the Crosswalk gateway loads it as
// WebAssembly and calls it when a Kubernetes API server asks for a conversion.
//
// A module is a main package that registers one function per direction:
//
//	package main
//
//	import crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
//
//	func init() {
//		crosswalk.Register("stable.example.com/v1", "stable.example.com/v2", v1ToV2)
//		crosswalk.Register("stable.example.com/v2", "stable.example.com/v1", v2ToV1)
//	}
//
//	func main() {} // never called: the gateway initialises the module and then calls what is registered
//
//	func v1ToV2(o *crosswalk.Object) error {
//		o.Rename(crosswalk.Path{"spec", "size"}, "replicas")
//		return nil
//	}
//
// and is built with
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -ldflags='-s -w' -trimpath -o <name>.wasm .
//
// The function edits the object in place; apiVersion is set for it. An error that it returns
// refuses the object, and its text is what the person at kubectl reads. A refusal does not stop the
// other objects of a batch. A panic is a fault of the module: it fails the batch, and the gateway
// says where it was.
//
// # What to do about absent fields
//
// Server-side apply converts fragments of objects: without metadata, without spec, with one field
// of several. So what is absent in the input should be absent in the output, and an error is for
// what is present and wrong. The methods of [Value] are made for this: they report "absent" apart
// from "wrong", and edits of what is absent do nothing.
//
// # Untouched bytes
//
// An [Object] is the JSON text itself. It is read no further than the function asks, and what the
// function does not touch is copied to the output byte for byte: unknown fields, big numbers and
// odd escapes survive because nobody decodes them. The package imports neither encoding/json nor
// fmt, which would double the size of a module and triple its start-up time; sub-package typed has
// conversions between Go structs for those who prefer them.
//
// # Concurrency
//
// WebAssembly modules are single-threaded, and so is everything here: an [Object] and its values
// belong to the function they were given to, until it returns.
package crosswalk
