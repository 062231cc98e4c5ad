// Package projection cuts the declared fields out of an object, and puts a module's answer back
// into the whole object. It parses the fields that a module declares (docs/spec/abi.md, "Declared
// fields"). The rest of an object stays as it is, byte for byte.
//
//	fields, err := projection.Parse(declared["v1"], declared["v2"])
//	parts := fields.Read(nil, object) // where the declared fields are; a Tracer notes them on the way
//	view, _ := projection.View(nil, object, parts)
//	…                                 // the module answers
//	answered, broken := fields.Check(&scanner, nil, answer)
//	spliced, broken := fields.Splice(projection.Room{}, object, parts, answer, answered, []byte(`"example.com/v2"`))
//	whole := spliced.Doc(nil, object)
//
// Fields never change once parsed and may be shared between goroutines.
package projection

import (
	"bytes"
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// Fields are the fields that a module declares for one conversion: for the version that it converts
// from and for the version it converts to.
type Fields struct{ root *field }

// field is a value that can be reached by declared paths.
type field struct {
	role   role
	name   string
	whole  bool // a path ends here: all that is in it is declared
	shared bool // several members or elements have this field

	// The declared parts of its content. named and every exclude each other.
	named    []*field
	byName   map[string]*field // of named, if they are many
	every    *field
	elements *field
}

// role says how the host treats a value.
type role uint8

const (
	plain role = iota
	isAPIVersion
	isKind
	isMetadata
	isLabels
	isAnnotations
	isOtherMetadata // a conversion may read it, but not change it
)

// fewNames is up to how many names are compared one by one.
const fewNames = 12

// find returns the declared field of a member; nil if the member is not declared.
func (f *field) find(name []byte) *field {
	if f.byName != nil {
		return f.byName[string(name)]
	}
	for _, n := range f.named {
		if n.name == string(name) {
			return n
		}
	}
	return f.every
}

// hasMembers reports whether members of an object at this field are declared.
func (f *field) hasMembers() bool { return len(f.named) > 0 || f.every != nil }

// isNothing reports whether neither the value nor a part of it is declared.
func (f *field) isNothing() bool { return !f.whole && !f.hasMembers() && f.elements == nil }

// Parse reads the paths that are declared for one or more versions.
//
// # Errors
//
// The error names the path, and the remedy.
func Parse(versions ...[]string) (*Fields, error) {
	f := &Fields{root: &field{}}
	for _, name := range []string{"apiVersion", "kind"} {
		f.root.member(name).whole = true
	}
	f.root.member("metadata") // its place is noted in any case
	for _, paths := range versions {
		if len(paths) > maxPaths {
			return nil, fmt.Errorf("there are %d paths; a version may have %d", len(paths), maxPaths)
		}
		for _, path := range paths {
			steps, err := Steps(path)
			if err == nil {
				err = allowed(steps)
			}
			if err != nil {
				return nil, fmt.Errorf("path %s: %w", foreign.Quote(path, maxShown), err)
			}
			f.root.add(steps)
		}
	}
	if overlap := f.root.settle(nil); overlap != "" {
		return nil, fmt.Errorf("%s and .* are both declared of one object: name its members, or none", overlap)
	}
	return f, nil
}

// allowed returns an error for a path that is well-formed but may not be declared.
func allowed(steps []Step) error {
	last, first := steps[len(steps)-1], steps[0].Name
	upTo := func(n int) string { return string(appendSteps(nil, steps[:n])) }
	switch {
	case steps[0].To != toMember:
		return fmt.Errorf("it must begin with the name of a field")
	case first == "apiVersion" || first == "kind":
		return fmt.Errorf("%s is always there: leave it out", first)
	case Reserved([]byte(first)) != "":
		return fmt.Errorf("%s differs from %s only by case, and no object may have both", first, Reserved([]byte(first)))
	case last.To == toEveryElement || last.To == toEveryMember:
		return fmt.Errorf("it declares all of %s: write that", upTo(len(steps)-1))
	case first != "metadata":
		return nil
	case len(steps) == 1 || steps[1].To != toMember:
		return fmt.Errorf("the metadata as a whole cannot be declared: name what is needed of it, such as metadata.name or metadata.labels")
	}
	switch name := steps[1].Name; {
	case name == "managedFields" || name == "resourceVersion":
		return fmt.Errorf("no module sees metadata.%s: leave it out", name)
	case (name == "labels" || name == "annotations") && len(steps) > 3:
		return fmt.Errorf("it goes deeper than %s do: a key with dots in it is written %s['example.com/key']", name, upTo(2))
	case (name == "labels" || name == "annotations") && len(steps) == 3 && last.To != toMember:
		return fmt.Errorf("%s have no elements", name)
	}
	return nil
}

// Reserved returns the one of apiVersion, kind and metadata from which the key differs only by
// case; "" if there is none. Readers that ignore case, encoding/json among them, confuse the two.
func Reserved(key []byte) string {
	for _, name := range [...]string{"apiVersion", "kind", "metadata"} {
		// Folding one letter changes its length in UTF-8 by at most two bytes (K is k, ſ is s).
		if n := len(key) - len(name); n >= 0 && n <= 2 && string(key) != name && bytes.EqualFold(key, []byte(name)) {
			return name
		}
	}
	return ""
}

// add declares a path.
func (f *field) add(steps []Step) {
	for _, s := range steps {
		switch s.To {
		case toMember:
			f = f.member(s.Name)
		case toEveryMember:
			f = child(&f.every)
		case toEveryElement:
			f = child(&f.elements)
		}
	}
	f.whole = true
}

// member returns the field of a name, and makes it if it is missing.
func (f *field) member(name string) *field {
	for _, n := range f.named {
		if n.name == name {
			return n
		}
	}
	n := &field{name: name}
	f.named = append(f.named, n)
	return n
}

func child(at **field) *field {
	if *at == nil {
		*at = &field{shared: true}
	}
	return *at
}

// settle completes a field once all paths are read: a declared value makes longer paths through it
// redundant. It returns the path of a member whose object has every member declared too.
func (f *field) settle(steps []Step) (overlap string) {
	if len(steps) == 1 {
		f.role = map[string]role{"apiVersion": isAPIVersion, "kind": isKind, "metadata": isMetadata}[f.name]
	}
	if len(steps) == 2 && steps[0].Name == "metadata" {
		f.role = isOtherMetadata
		switch f.name {
		case "labels":
			f.role = isLabels
		case "annotations":
			f.role = isAnnotations
		}
	}
	if f.whole {
		f.named, f.every, f.elements = nil, nil, nil
		return ""
	}
	if f.every != nil && len(f.named) > 0 {
		return string(appendSteps(nil, append(steps, Step{toMember, f.named[0].name})))
	}
	for _, n := range f.named {
		if overlap = n.settle(append(steps, Step{toMember, n.name})); overlap != "" {
			return overlap
		}
	}
	if len(f.named) > fewNames {
		f.byName = make(map[string]*field, len(f.named))
		for _, n := range f.named {
			f.byName[n.name] = n
		}
	}
	if f.every != nil {
		if overlap = f.every.settle(append(steps, everyMember)); overlap != "" {
			return overlap
		}
	}
	if f.elements != nil {
		return f.elements.settle(append(steps, everyElement))
	}
	return ""
}
