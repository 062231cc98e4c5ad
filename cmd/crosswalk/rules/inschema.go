package rules

// Check reports the rules that name a field which the schema of its version does not have. has
// decides about a field, in the syntax of declared fields.
//
// # Errors
//
// One or more [Error], joined.
func (f *File) Check(has func(version, field string) bool) error {
	r := &report{}
	for _, s := range f.steps {
		for _, c := range s.claims {
			p := c.path
			for len(p) > 0 && isEvery(p.last()) { // a declaration ends with a field
				p = p.parent()
			}
			if version := [2]string{s.from, s.to}[c.side]; len(p) > 0 && !has(version, p.String()) {
				r.at(c.rule.node, "the schema of %s does not have %s: is it misspelt?", version, c.path)
			}
		}
	}
	return r.err()
}
