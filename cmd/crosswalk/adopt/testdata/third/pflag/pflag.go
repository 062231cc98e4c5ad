// Package pflag has the names of the library for flags, and a set whose values the search for changes of
// memory cannot follow: they are behind an interface, in a map.
package pflag

type value interface {
	String() string
	Set(string)
}

type text string

func (t *text) String() string   { return string(*t) }
func (t *text) Set(value string) { *t = text(value) }

type FlagSet struct{ values map[string]value }

var CommandLine = &FlagSet{map[string]value{}}

func (s *FlagSet) String(name, value, _ string) {
	t := text(value)
	s.values[name] = &t
}

func (s *FlagSet) GetString(name string) (string, error) { return s.values[name].String(), nil }

// Parse sets all flags to one value.
func Parse(value string) {
	for _, v := range CommandLine.values {
		v.Set(value)
	}
}
