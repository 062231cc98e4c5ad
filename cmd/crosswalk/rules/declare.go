package rules

import (
	"encoding/json"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// addField adds a path to the fields that a version declares.
func (f *File) addField(version string, p path) (added bool) {
	if slices.ContainsFunc(f.fields[version], p.equal) {
		return false
	}
	f.fields[version] = append(f.fields[version], p)
	return true
}

// addHashed adds a path to the fields that stashed values depend on.
func (f *File) addHashed(version string, p path) { f.hashed[version] = append(f.hashed[version], p) }

// declare completes the fields of all versions. A conversion sees the fields of its two versions
// only, so a field that some step converts is declared in the versions beyond the step, too.
// Nothing is declared if a stashed value depends on everything.
func (f *File) declare(n needs, directions []direction) {
	if n.whole {
		f.fields = nil
		return
	}
	for _, v := range f.Versions {
		for _, p := range f.hashed[v] {
			if !f.declared(p) { // a field that only other versions have is seen in conversions to them
				f.addField(v, p)
			}
		}
	}
	for again := true; again; {
		again = false
		for _, d := range directions {
			for _, p := range f.fields[d.from] {
				if !d.converts(p) && f.addField(d.to, p) {
					again = true
				}
			}
		}
	}
	for _, v := range f.Versions {
		if n.stash {
			f.addField(v, path{"metadata", "annotations", "conversion." + f.Group + "/stash"})
		}
		if n.uid {
			f.addField(v, path{"metadata", "uid"})
		}
		all := f.fields[v]
		f.fields[v] = slices.DeleteFunc(slices.Clone(all), func(p path) bool {
			return slices.ContainsFunc(all, func(q path) bool { return len(q) < len(p) && p.within(q) })
		})
	}
}

// declared reports whether some version declares the whole value at a path.
func (f *File) declared(p path) bool {
	for _, all := range f.fields {
		if slices.ContainsFunc(all, func(q path) bool { return p.within(q) }) {
			return true
		}
	}
	return false
}

// converts reports whether the field at a path of the direction's version has another path, or
// none, in the other version: the rules declare it there.
func (d direction) converts(p path) bool {
	if slices.ContainsFunc(d.step.alone[d.side()], p.within) {
		return true
	}
	return slices.ContainsFunc(d.claims, func(c claim) bool { return c.side == d.side() && p.within(c.path) })
}

// checkFields holds the declaration to the rules of docs/spec/abi.md.
func (f *File) checkFields(r *report) {
	if f.fields == nil {
		return
	}
	fields, count := map[string][]string{}, 0
	for _, v := range f.Versions {
		fields[v] = []string{}
		for _, p := range f.fields[v] {
			fields[v] = append(fields[v], p.String())
		}
		count += max(1, len(fields[v]))
	}
	if count > maxFields {
		r.at(nil, "the rules name %d fields of at most %d: split them into several modules", count, maxFields)
		return
	}
	name, err := artifact.ParseName(f.ModuleName())
	if err == nil {
		var description []byte
		if description, err = json.Marshal(map[string]any{"fields": fields}); err == nil {
			_, err = artifact.DescribedFields(name, description)
		}
	}
	if err != nil {
		r.at(nil, "the fields of the rules cannot be declared: %v", err)
	}
}
