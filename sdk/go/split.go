package crosswalk

import "slices"

// Split cuts the string at path from at every sep, removes it, and sets the paths to to the parts:
// "host:port" to a host and a port. Split reports whether the string was present; it does nothing
// if the string is absent. The object is refused if the number of parts differs from the number of
// paths, or if one of the paths already has a value.
func (v Value) Split(from Path, sep string, to ...Path) bool {
	return v.split(from, sep, to, cut)
}

func (v Value) split(from Path, sep string, to []Path, cut cutter) bool {
	s, ok := v.text(from)
	if !ok {
		return false
	}
	parts := cut(s, sep)
	if len(parts) != len(to) {
		v.d.fail(Errorf("%s must have %d parts separated by %q, but %q has %d", v.Location(from...), len(to), sep, s, len(parts)))
		return false
	}
	v.Remove(from...)
	for i, part := range parts {
		if !v.vacant(to[i], from, "split") {
			return false
		}
		v.SetString(to[i], part)
	}
	return true
}

// Join is the inverse of [Value.Split]: it joins the strings at the paths from with sep between
// them, sets path to to the result, and removes the parts. If a part is absent, as in a fragment,
// Join does nothing and returns false; the converter decides about the remaining parts
// ([Value.Stash] keeps them). The object is refused if a part contains sep, because Split would not
// restore it, or if path to already has a value.
func (v Value) Join(to Path, sep string, from ...Path) bool {
	return v.join(to, sep, from, from, cut)
}

// join joins strings. Those at the paths whole must not contain sep.
func (v Value) join(to Path, sep string, from, whole []Path, again cutter) bool {
	parts := make([]string, 0, len(from))
	for i, path := range from {
		part, ok := v.text(path)
		if !ok {
			continue
		}
		if i >= len(from)-len(whole) && len(cut(part, sep)) > 1 {
			v.d.fail(Errorf("%s must not contain %q, but is %q", v.Location(path...), sep, part))
			return false
		}
		parts = append(parts, part)
	}
	if len(from) == 0 || len(parts) < len(from) || v.d.err != nil {
		return false
	}
	for _, path := range from {
		v.Remove(path...)
	}
	joined := join(parts, sep)
	if !v.vacant(to, from[0], "joined") || !v.reversible(joined, sep, parts, from[0], again) {
		return false
	}
	v.SetString(to, joined)
	return true
}

// vacant reports whether path is absent or null. It refuses the object otherwise, because the value
// there would be lost.
func (v Value) vacant(path, from Path, verb string) bool {
	if _, taken := v.Get(path...); taken {
		v.d.fail(Errorf("%s cannot be %s: %s is there already", v.Location(from...), verb, v.Location(path...)))
		return false
	}
	return true
}

// reversible reports whether cutting joined yields the parts again. Parts such as "a:" joined with
// "::" are not reversible.
func (v Value) reversible(joined, sep string, parts []string, path Path, cut cutter) bool {
	if sep == "" || slices.Equal(cut(joined, sep), parts) {
		return true
	}
	v.d.fail(Errorf("%s cannot be joined with %q: %q would be taken apart otherwise", v.Location(path...), sep, joined))
	return false
}

// SplitList cuts the string at path at every sep and replaces it by the list of its parts; the
// empty string becomes an empty list. It reports whether the string was present.
func (v Value) SplitList(path Path, sep string) bool {
	s, ok := v.text(path)
	if !ok {
		return false
	}
	list := []byte{'['}
	if s != "" {
		for _, part := range cut(s, sep) {
			list = Quote(separated(list), part)
		}
	}
	v.replace(path, append(list, ']'))
	return true
}

// JoinList replaces the list of strings at path by one string, with sep between the elements. It
// reports whether the list was present. The object is refused if an element contains sep, or if the
// list is one empty string, which would join to the same string as an empty list.
func (v Value) JoinList(path Path, sep string) bool {
	n := v.container(path, TypeArray, "an array")
	if n < 0 {
		return false
	}
	parts := []string{}
	for c := v.d.after(n, 0); c != 0; c = v.d.after(n, c) {
		part, ok, err := Value{v.d, c}.String()
		switch {
		case err == nil && !ok:
			err = v.d.wrong(c, "a string")
		case len(cut(part, sep)) > 1:
			err = Errorf("%s must not contain %q, but is %q", v.d.location(c), sep, part)
		}
		if err != nil {
			v.d.fail(err)
			return false
		}
		parts = append(parts, part)
	}
	joined := join(parts, sep)
	switch {
	case len(parts) == 1 && joined == "":
		v.d.fail(Errorf("%s must not be a list of one empty string", v.d.location(n)))
		return false
	case len(parts) > 0 && !v.reversible(joined, sep, parts, path, cut):
		return false
	}
	v.SetString(path, joined)
	return true
}

// text returns the string at path. It records the error if the value is not a string.
func (v Value) text(path []string) (s string, ok bool) {
	s, ok, err := v.String(path...)
	if err != nil {
		v.d.fail(err)
	}
	return s, ok
}

// replace sets the value at path to JSON text that is known to be valid.
func (v Value) replace(path Path, raw []byte) {
	start := len(v.d.scratch)
	v.d.scratch = append(v.d.scratch, raw...)
	v.d.put(v.n, path, start)
}

// cut cuts s at every sep; an empty sep cuts nothing.
func cut(s, sep string) (parts []string) {
	start := 0
	for i := 0; sep != "" && i+len(sep) <= len(s); i++ {
		if s[i:i+len(sep)] == sep {
			parts = append(parts, s[start:i])
			start = i + len(sep)
			i = start - 1
		}
	}
	return append(parts, s[start:])
}

// join concatenates the parts with sep between them.
func join(parts []string, sep string) string {
	var joined []byte
	for i, part := range parts {
		if i > 0 {
			joined = append(joined, sep...)
		}
		joined = append(joined, part...)
	}
	return string(joined)
}
