package lowering

import (
	"slices"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
)

// Declaration is the fields that the versions declare.
type Declaration struct {
	Fields map[string][]fieldpath.Path // of each version; nil: nothing, and the module sees whole objects
	Hashed map[string][]fieldpath.Path // fields that stashed values depend on, too
}

// addField adds a path to the fields that a version declares.
func (d *Declaration) addField(version string, p fieldpath.Path) (added bool) {
	if slices.ContainsFunc(d.Fields[version], p.Equal) {
		return false
	}
	d.Fields[version] = append(d.Fields[version], p)
	return true
}

// addHashed adds a path to the fields that stashed values depend on.
func (d *Declaration) addHashed(version string, p fieldpath.Path) {
	d.Hashed[version] = append(d.Hashed[version], p)
}

// Complete completes the fields of all versions. A conversion sees the fields of its two versions
// only, so a field that some step converts is declared in the versions beyond the step, too.
// Nothing is declared if a stashed value depends on everything.
func (d *Declaration) Complete(versions []string, group string, n Needs, directions []Direction) {
	if n.Whole {
		d.Fields = nil
		return
	}
	for _, v := range versions {
		for _, p := range d.Hashed[v] {
			if !d.declared(p) { // a field that only other versions have is seen in conversions to them
				d.addField(v, p)
			}
		}
	}
	for again := true; again; {
		again = false
		for _, way := range directions {
			for _, p := range d.Fields[way.From] {
				if !way.converts(p) && d.addField(way.To, p) {
					again = true
				}
			}
		}
	}
	for _, v := range versions {
		if n.stash {
			d.addField(v, fieldpath.Path{"metadata", "annotations", "conversion." + group + "/stash"})
		}
		if n.Uid {
			d.addField(v, fieldpath.Path{"metadata", "uid"})
		}
		all := d.Fields[v]
		d.Fields[v] = slices.DeleteFunc(slices.Clone(all), func(p fieldpath.Path) bool {
			return slices.ContainsFunc(all, func(q fieldpath.Path) bool { return len(q) < len(p) && p.Within(q) })
		})
	}
}

// declared reports whether some version declares the whole value at a path.
func (d *Declaration) declared(p fieldpath.Path) bool {
	for _, all := range d.Fields {
		if slices.ContainsFunc(all, func(q fieldpath.Path) bool { return p.Within(q) }) {
			return true
		}
	}
	return false
}

// Needs are the fields that a module has to declare besides its rules' paths.
type Needs struct {
	stash bool // the annotation of the stash
	Uid   bool // metadata.uid, which tells fragments
	Whole bool // everything: a hash covers the whole object
}
