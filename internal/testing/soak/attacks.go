package main

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
)

// The attacks. All of them run at once, or those that -attacks names.
const (
	slowReviews  = "slow-reviews"
	largeReviews = "large-reviews"
	connections  = "connections"
	slowFiles    = "slow-files"
	definitions  = "definitions"
	names        = "names"
	sidecars     = "sidecars"
	probes       = "probes"
	pages        = "pages"
	contents     = "contents"
	modules      = "modules"
)

// attack is one way to take more than a share. It counts how often it was done.
type attack struct {
	name, faults string // rows of docs/spec/faults.md
	unit         string
	on           bool
	ran          atomic.Int64
}

// attacks are all attacks, in the order of the output.
type attacks []*attack

func newAttacks() attacks {
	return attacks{
		{name: slowReviews, faults: "H26", unit: "reviews of a slow module"},
		{name: largeReviews, faults: "H27", unit: "reviews of 100,000 objects or 60,000 fields"},
		{name: connections, faults: "H1, H21 to H23", unit: "connections that stall, are idle, or do not read"},
		{name: slowFiles, faults: "W18", unit: "files of 80 slow modules, written"},
		{name: definitions, faults: "D1", unit: "definitions of a megabyte or with aliases and patterns, written"},
		{name: names, faults: "W22", unit: "files with names of other owners' kinds, written"},
		{name: sidecars, faults: "W20", unit: "sidecars without a module, written"},
		{name: probes, faults: "H25", unit: "admin connections that do not read"},
		{name: pages, faults: "H25", unit: "readers of admin pages"},
		{name: contents, faults: "W20", unit: "files of 30 MiB, written"},
		{name: modules, faults: "M, X, A", unit: "reviews of hostile modules"},
	}
}

// choose turns on the attacks of a list; all if it is empty.
func (a attacks) choose(list string) error {
	for _, one := range a {
		one.on = list == ""
	}
	for name := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(a, func(one *attack) bool { return one.name == name })
		if list != "" && i < 0 {
			return fmt.Errorf("-attacks: %q is not an attack; there are %s", name, a)
		}
		if i >= 0 {
			a[i].on = true
		}
	}
	return nil
}

// of returns an attack.
func (a attacks) of(name string) *attack {
	return a[slices.IndexFunc(a, func(one *attack) bool { return one.name == name })]
}

func (a attacks) String() string {
	var all []string
	for _, one := range a {
		all = append(all, one.name)
	}
	return strings.Join(all, ", ")
}

// verdict fails for each attack that was to run and did not.
func (a attacks) verdict() (all []ruling) {
	for _, one := range a {
		what := fmt.Sprintf("attack %s (%s)", one.name, one.faults)
		switch n := one.ran.Load(); {
		case !one.on:
			all = append(all, unjudged(what, "it did not run"))
		case n == 0:
			all = append(all, fails(what, "it did nothing"))
		default:
			all = append(all, holds("%s: %d %s", what, n, one.unit))
		}
	}
	return all
}
