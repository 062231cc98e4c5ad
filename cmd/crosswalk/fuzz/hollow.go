package fuzz

// class returns the class of the difference. An entry counts even if its value is empty: its key,
// or the length of the list, is lost.
func (d *difference) class() string {
	if d.hollow && !d.entry {
		return ClassEmpty
	}
	return ClassValue
}

// hollow reports whether a value is absent or empty: the zero value of its type.
func hollow(value any) bool {
	switch v := value.(type) {
	case absent, nil:
		return true
	case string:
		return v == ""
	case bool:
		return !v
	case int64:
		return v == 0
	case float64:
		return v == 0
	}
	return EmptyValue(value)
}

// isZeroText reports whether a value is the text that a zero value of metav1.Duration or of
// resource.Quantity has in JSON. Only an added one is as good as empty: a client who writes "0s" may
// mean it.
func isZeroText(value any) bool { return value == "0s" || value == "0" }

// emptyKey returns the key of a symptom without a value that is not empty. It differs from that of
// other symptoms at the path, so that an object never shrinks from one to the other.
func emptyKey(key string) string { return "empty " + key }

// EmptyValue reports whether a value is an object or a list with nothing in it.
func EmptyValue(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return false
}
