package fuzz

import (
	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

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
