package crosswalk

// Enum says which strings of two versions correspond: pairs of the older and the newer version's, or whichever way the
// converter has it.
type Enum [][2]string

// Back returns the pairs the other way round. Of pairs that say the same on one side, the first one counts.
func (e Enum) Back() Enum {
	back := make(Enum, len(e))
	for i, pair := range e {
		back[i] = [2]string{pair[1], pair[0]}
	}
	return back
}

// Translate replaces the string at path by its partner and says whether it has one. A string without one stays as it is: it
// is the schema that says what is allowed, and nothing is lost by it.
func (v Value) Translate(e Enum, path ...string) bool {
	s, ok := v.text(path)
	if !ok {
		return false
	}
	for _, pair := range e {
		if pair[0] == s {
			if pair[1] != s {
				v.SetString(pair[1], path...)
			}
			return true
		}
	}
	return false
}
