package fuzz

import (
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/host"
)

// checker converts objects of one definition with its modules, and looks for faults in the answers.
// It makes no objects and keeps no findings.
type checker struct {
	def      *apiserver.Definition
	modules  []Module
	edges    edges
	convert  *converter
	whole    *converter // shows whole objects to modules with declared fields; nil if there are none
	versions []*version
}

func newChecker(def *apiserver.Definition, modules []Module) *checker {
	c := &checker{def: def, modules: modules, edges: edgesOf(def, modules)}
	c.convert = newConverter(modules, func(m Module) host.Module { return m })
	for _, m := range modules {
		if m.Declared() != nil {
			c.whole = newConverter(modules, func(m Module) host.Module { return whole{m} })
		}
	}
	return c
}

func (c *checker) stash() stash { return stash(c.def.Group) }
