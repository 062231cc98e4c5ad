package crosswalk

import "strconv"

// declaredField is a value on a declared path. This code runs only in tests and is not part of a
// WebAssembly module: for a module, the gateway does the same work.
type declaredField struct {
	name     string
	whole    bool
	named    []*declaredField
	every    *declaredField
	elements *declaredField
	role     fieldRole
}

// fieldRole marks values with special rules.
type fieldRole uint8

const (
	plainField    fieldRole = iota
	envelopeField           // apiVersion and kind
	metadataField
	labelsField        // and annotations
	otherMetadataField // what a conversion may read and not change
)

// declaredPathError returns the error for an invalid path.
func declaredPathError(path, format string, args ...any) error {
	return Errorf("path %q: %s", path, Errorf(format, args...))
}

// parseFields parses paths by the gateway's rules.
func parseFields(lists ...[]string) (*declaredField, error) {
	root := &declaredField{}
	for _, name := range [...]string{"apiVersion", "kind"} {
		n := root.member(name)
		n.whole, n.role = true, envelopeField
	}
	for _, paths := range lists {
		for _, path := range paths {
			if err := root.add(path); err != nil {
				return nil, err
			}
		}
	}
	if name := root.settle(); name != "" {
		return nil, Errorf("%q and .* are both declared of one object: name its members, or none", name)
	}
	return root, nil
}

// add declares a path.
func (f *declaredField) add(path string) error {
	top := f
	names, last := 0, byte(0)
	for i := 0; i < len(path); names++ {
		name, kind, end, err := nextStep(path, i)
		if err != nil {
			return err
		}
		switch last = kind; kind {
		case '[':
			f = declaredChild(&f.elements)
		case '*':
			f = declaredChild(&f.every)
		default:
			f = f.member(name)
			if names == 0 && name == "metadata" {
				f.role = metadataField
			}
		}
		i = end
	}
	switch {
	case names == 0:
		return declaredPathError(path, "it is empty")
	case last != '.':
		return declaredPathError(path, "it must end with a name; a list or a map is declared as a whole by its own path")
	case f.role == envelopeField:
		return declaredPathError(path, "apiVersion and kind are always there: leave it out")
	case f.role == metadataField:
		return declaredPathError(path, "the metadata as a whole cannot be declared: name what is needed of it, such as metadata.name or metadata.labels")
	}
	f.whole = true
	for _, n := range top.named {
		if n.role == metadataField {
			return n.allowed(path)
		}
	}
	return nil
}

// allowed checks the declared parts of the metadata and marks them.
func (f *declaredField) allowed(path string) error {
	if f.every != nil || f.elements != nil {
		return declaredPathError(path, "the metadata as a whole cannot be declared: name what is needed of it, such as metadata.name or metadata.labels")
	}
	for _, n := range f.named {
		switch n.name {
		case "managedFields", "resourceVersion":
			return declaredPathError(path, "no module sees metadata.%s: leave it out", n.name)
		case "labels", "annotations":
			n.role = labelsField
			deep := n.every != nil || n.elements != nil
			for _, key := range n.named {
				deep = deep || len(key.named) > 0 || key.every != nil || key.elements != nil
			}
			if deep {
				return declaredPathError(path, "it goes deeper than %s do: a key with dots in it is written metadata.%s['example.com/key']", n.name, n.name)
			}
		default:
			n.role = otherMetadataField
		}
	}
	return nil
}

// nextStep reads the step of a path at i. kind is '.' for a member, '*' for every member, '[' for
// every element.
func nextStep(path string, i int) (name string, kind byte, end int, err error) {
	switch {
	case path[i] == '[' && i+1 < len(path) && path[i+1] == ']':
		return "", '[', i + 2, nil
	case path[i] == '[' && i+1 < len(path) && (path[i+1] == '\'' || path[i+1] == '"'):
		quote := path[i+1]
		var text []byte
		for end = i + 2; end < len(path) && path[end] != quote; end++ {
			if path[end] == '\\' && end+1 < len(path) {
				end++
			}
			text = append(text, path[end])
		}
		if end+1 >= len(path) || path[end+1] != ']' {
			return "", 0, 0, declaredPathError(path, "the name in quotes at byte %d does not end in %s]", i+1, string(quote))
		}
		return string(text), '.', end + 2, nil
	case path[i] == '.' && i > 0:
		i++
	case i > 0:
		return "", 0, 0, declaredPathError(path, "a dot or a bracket is missing at byte %d", i)
	}
	if i < len(path) && path[i] == '*' {
		return "", '*', i + 1, nil
	}
	for end = i; end < len(path); end++ {
		c := path[end]
		if (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') && c != '_' && c != '-' && c != '$' {
			break
		}
	}
	if end == i {
		return "", 0, 0, declaredPathError(path, "a name is missing at byte %d, or is one that must be in quotes: ['…']", i)
	}
	return path[i:end], '.', end, nil
}

func (f *declaredField) member(name string) *declaredField {
	for _, n := range f.named {
		if n.name == name {
			return n
		}
	}
	n := &declaredField{name: name}
	f.named = append(f.named, n)
	return n
}

func declaredChild(at **declaredField) *declaredField {
	if *at == nil {
		*at = &declaredField{}
	}
	return *at
}

// settle drops paths that a shorter path already covers. It returns a name that is declared beside
// .* of the same object.
func (f *declaredField) settle() (overlap string) {
	if f.whole {
		f.named, f.every, f.elements = nil, nil, nil
		return ""
	}
	if f.every != nil && len(f.named) > 0 {
		return f.named[0].name
	}
	for _, n := range f.named {
		if overlap = n.settle(); overlap != "" {
			return overlap
		}
	}
	for _, n := range [...]*declaredField{f.every, f.elements} {
		if n != nil && overlap == "" {
			overlap = n.settle()
		}
	}
	return overlap
}

// find returns the declaration of a member, or nil.
func (f *declaredField) find(name string) *declaredField {
	for _, n := range f.named {
		if n.name == name {
			return n
		}
	}
	return f.every
}

// fits reports whether a value has a type that can contain its declared parts.
func (f *declaredField) fits(t Type) bool {
	return f.whole || t == TypeObject && (len(f.named) > 0 || f.every != nil) || t == TypeArray && f.elements != nil
}

// projection returns the declared fields of a conversion, or nil if the module declares no fields.
func (r *registry) projection(from, to string) (*declaredField, error) {
	if len(r.declared) == 0 {
		return nil, nil
	}
	var lists [2][]string
	for i, apiVersion := range [...]string{from, to} {
		paths, ok := r.fieldsOf(apiVersion)
		if !ok {
			return nil, Errorf("crosswalk: the module declares fields, but none for %s: call crosswalk.Fields(%s), without paths if it reads and writes none",
				apiVersion, strconv.Quote(apiVersion))
		}
		lists[i] = paths
	}
	f, err := parseFields(lists[:]...)
	if err != nil {
		return nil, Errorf("crosswalk: the declared fields of %s and %s: %s", from, to, err)
	}
	return f, nil
}
