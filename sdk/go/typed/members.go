package typed

import (
	"reflect"
	"strings"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
)

// members are the names that a type gives to the members of a JSON object.
type members struct {
	names map[string]bool
	all   bool // the type is a map: any name
}

func (m members) has(name string) bool { return m.all || m.names[name] }

// of returns the object without the members that m does not have: encoding/json is too slow to read
// metadata for nothing.
func (m members) of(o *crosswalk.Object) []byte {
	text := []byte{'{'}
	for name, member := range o.Members() {
		if !m.names[name] && (!m.all || name == "apiVersion" || name == "kind" || name == "metadata") {
			continue
		}
		if len(text) > 1 {
			text = append(text, ',')
		}
		raw, _ := member.Raw()
		text = append(append(crosswalk.Quote(text, name), ':'), raw...)
	}
	return append(text, '}')
}

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
