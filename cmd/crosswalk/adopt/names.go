package adopt

// byName are methods that are called by way of interfaces of the standard library that no
// declaration need mention.
func byName() []string {
	return []string{"Error", "Unwrap", "Is", "As", "MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText", "IsZero"}
}

// texts are those that fmt calls.
func texts() []string { return []string{"String", "GoString", "Format"} }
