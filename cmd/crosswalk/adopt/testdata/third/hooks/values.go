package hooks

var allotted []*string

// String returns memory that SetAll changes.
func String(value string) *string {
	p := new(string)
	*p = value
	allotted = append(allotted, p)
	return p
}

func SetAll(value string) {
	for _, p := range allotted {
		*p = value
	}
}

type Value interface{ Set(string) }

// Set has values, as a set of flags has.
type Set struct{ values map[string]Value }

func (s *Set) Var(name string, v Value) {
	if s.values == nil {
		s.values = map[string]Value{}
	}
	s.values[name] = v
}

func (s *Set) Execute(value string) {
	for _, v := range s.values {
		v.Set(value)
	}
}
