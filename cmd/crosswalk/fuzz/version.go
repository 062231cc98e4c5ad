package fuzz

import (
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/generate"
	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// version is one version of the definition with its objects.
type version struct {
	*apiserver.Version
	generator *generate.Generator
	targets   []*version // to convert to
	back      map[*version]bool
	objects   int
	first     *subject // the first object, a companion for others
	batches   int
	kept      int // values that annotations keep in other versions, of which so many were large
	large     int
	done      bool // no object can be generated
	defaults  bool // the schema has some
}

// subject is an object to convert.
type subject struct {
	value map[string]any
	text  []byte
	n     int    // how many objects were generated with it
	whole []byte // of a fragment: the object that it is a part of; nil if it does not matter
}

// due reports whether a check that runs with every n-th batch of a version runs with the next one.
// The first batches have all checks, so that a short run misses none.
func (v *version) due(n int) bool { return v.batches < 8 || v.batches%n == 0 }

func textsOf(objects []*subject) [][]byte {
	texts := make([][]byte, len(objects))
	for i, o := range objects {
		texts[i] = o.text
	}
	return texts
}

// Module is a converter to test: a *module.Module, or one in Go.
type Module interface {
	host.Module

	// Edges returns the conversions that the module does.
	Edges() []artifact.Edge
	// Declared returns the fields that the module sees, by version; nil if it sees whole objects.
	Declared() map[string][]string
	// Losses returns the losses that the module's sidecar acknowledges.
	Losses() []artifact.Loss
	// Cases returns the golden cases of the module's sidecar.
	Cases() []module.Case
}

// Modules returns modules of one type as a Config has them.
func Modules[M Module](all []M) []Module {
	list := make([]Module, len(all))
	for i, m := range all {
		list[i] = m
	}
	return list
}
