package meter

// Scan decodes and validates a module.
//
// # Errors
//
// An *Error that names the section, the offset and, if one was exceeded, the limit.
func Scan(wasm []byte, limits Limits) (*Module, error) {
	m, err := parse(wasm, limits)
	if err != nil {
		return nil, err
	}
	b := newBodies(m, nil)
	for i := range m.bodies {
		if _, err := b.function(i); err != nil {
			return nil, err
		}
	}
	return m, nil
}
