package calls

// ByName are methods that are called by way of interfaces of the standard library that no
// declaration need mention.
func ByName() []string {
	return []string{"Error", "Unwrap", "Is", "As", "MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText", "IsZero"}
}

// Texts are those that fmt calls.
func Texts() []string { return []string{"String", "GoString", "Format"} }
