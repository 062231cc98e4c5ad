package crosswalk

// Enum lists the strings of two versions that correspond: pairs of the string to translate and its
// translation.
type Enum [][2]string

// Back returns the pairs for the opposite direction. Of pairs with the same string to translate,
// the first one counts.
func (e Enum) Back() Enum {
	back := make(Enum, len(e))
	for i, pair := range e {
		back[i] = [2]string{pair[1], pair[0]}
	}
	return back
}

// Translate replaces the string at path by its translation and reports whether there is one. A
// string without a translation stays unchanged: the schema decides which strings are valid, and
// nothing is lost.
func (v Value) Translate(path Path, e Enum) bool {
	s, ok := v.text(path)
	if !ok {
		return false
	}
	for _, pair := range e {
		if pair[0] == s {
			if pair[1] != s {
				v.SetString(path, pair[1])
			}
			return true
		}
	}
	return false
}
