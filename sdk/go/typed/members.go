package typed

import (
	"reflect"
	"strings"
)

// members are the names that a type gives to the members of a JSON object.
type members struct {
	names map[string]bool
	all   bool // the type is a map: any name
}

func (m members) has(name string) bool { return m.all || m.names[name] }

// membersOf returns the members of t, by encoding/json's rules for tags and embedded structs.
func membersOf(t reflect.Type) members {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return members{all: true}
	}
	m := members{names: map[string]bool{}}
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case !field.IsExported() || field.Tag.Get("json") == "-":
		case field.Anonymous && name == "": // its fields are in the list too
		case name == "":
			m.names[field.Name] = true
		default:
			m.names[name] = true
		}
	}
	return m
}
