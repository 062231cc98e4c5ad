// Package fill sets variables by reflection, and by pointers that it keeps.
package fill

import "reflect"

func Fill(into any) { reflect.ValueOf(into).Elem().Field(0).SetString("x") }

type Set struct{ m map[string]*string }

func (s *Set) Bind(name string, p *string) {
	if s.m == nil {
		s.m = map[string]*string{}
	}
	s.m[name] = p
}

func (s *Set) Parse() {
	for _, p := range s.m {
		*p = "x"
	}
}
