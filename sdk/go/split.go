package crosswalk

import "slices"

// Split takes the string at path from apart at every sep and puts the parts at the paths to, of which there must be as many as
// parts: a host and a port of "host:port". The string is removed. Split says whether it was there. Nothing is done where it is
// absent; another number of parts refuses the object, and so does a value that is at one of the paths already.
func (v Value) Split(sep string, from Path, to ...Path) bool {
	s, ok := v.text(from)
	if !ok {
		return false
	}
	parts := cut(s, sep)
	if len(parts) != len(to) {
		v.d.fail(Errorf("%s must have %d parts separated by %q, but %q has %d", v.Location(from...), len(to), sep, s, len(parts)))
		return false
	}
	v.Delete(from...)
	for i, part := range parts {
		if !v.vacant(to[i], from, "split") {
			return false
		}
		v.SetString(part, to[i]...)
	}
	return true
}

// Join is the opposite of [Value.Split]: it puts the strings at the paths from together, with sep between them, and the result
// at path to; the parts are removed. If any of them is absent, nothing is done and false returned, as in a fragment: what to do
// about some of the parts is the converter's to say ([Value.Stash] keeps them). A part that contains sep refuses the object, as
// Split would not give it back, and so does a value that is at path to already.
func (v Value) Join(sep string, to Path, from ...Path) bool {
	parts := make([]string, 0, len(from))
	for _, path := range from {
		part, ok := v.text(path)
		if !ok {
			continue
		}
		if len(cut(part, sep)) > 1 {
			v.d.fail(Errorf("%s must not contain %q, but is %q", v.Location(path...), sep, part))
			return false
		}
		parts = append(parts, part)
	}
	if len(from) == 0 || len(parts) < len(from) || v.d.err != nil {
		return false
	}
	for _, path := range from {
		v.Delete(path...)
	}
	joined := join(parts, sep)
	if !v.vacant(to, from[0], "joined") || !v.reversible(joined, sep, parts, from[0]) {
		return false
	}
	v.SetString(joined, to...)
	return true
}

// vacant says that nothing, or null, is at path, and refuses the object otherwise: something would be lost.
func (v Value) vacant(path, from Path, verb string) bool {
	if _, taken := v.Get(path...); taken {
		v.d.fail(Errorf("%s cannot be %s: %s is there already", v.Location(from...), verb, v.Location(path...)))
		return false
	}
	return true
}

// reversible says that joined, when it is cut again, gives the parts: parts like "a:" with "::" between them do not.
func (v Value) reversible(joined, sep string, parts []string, path Path) bool {
	again := cut(joined, sep)
	if sep == "" || slices.Equal(again, parts) {
		return true
	}
	v.d.fail(Errorf("%s cannot be joined with %q: %q would be taken apart otherwise", v.Location(path...), sep, joined))
	return false
}

// SplitList makes a list of strings of the string at path, cut at every sep; of the empty string, an empty list. It says
// whether the string was there.
func (v Value) SplitList(sep string, path ...string) bool {
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
	v.replace(append(list, ']'), path)
	return true
}

// JoinList makes one string of the list of strings at path, with sep between them. It says whether the list was there. An
// element that contains sep refuses the object, and so does a list of one empty string, as an empty list joins to the same.
func (v Value) JoinList(sep string, path ...string) bool {
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
	case len(parts) > 0 && !v.reversible(joined, sep, parts, path):
		return false
	}
	v.SetString(joined, path...)
	return true
}

// text returns the string at path; what is wrong is remembered.
func (v Value) text(path []string) (s string, ok bool) {
	s, ok, err := v.String(path...)
	if err != nil {
		v.d.fail(err)
	}
	return s, ok
}

// replace puts JSON that is known to be valid at path.
func (v Value) replace(raw []byte, path []string) {
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

// join puts the parts together with sep between them.
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
