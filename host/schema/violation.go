package schema

// Violation is one rule that an object breaks. It never has the value in it, so it may be logged.
type Violation struct {
	// Path is where: spec.replicas, spec.list[3].name, spec.map[key]. It is empty for the object
	// itself.
	Path string
	// Message is the rule, in the words of the schema: "must be an integer, not a string".
	Message string
	// Pruned says that the schema does not know the field. The API server drops the field silently,
	// with its content.
	Pruned bool
}

// String returns the violation in one line.
func (v Violation) String() string {
	if v.Path == "" {
		return v.Message
	}
	return v.Path + ": " + v.Message
}
