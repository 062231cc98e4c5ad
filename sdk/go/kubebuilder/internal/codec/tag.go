package codec

import (
	"reflect"
	"strings"
	"unicode"
)

// textual says whether the option "string" applies to a type.
func textual(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Float32, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return true
	}
	return false
}

// options are those of a json tag, behind its name.
type options string

func parseTag(tag string) (name string, o options) {
	name, rest, _ := strings.Cut(tag, ",")
	return name, options(rest)
}

func (o options) has(option string) bool {
	for _, s := range strings.Split(string(o), ",") {
		if s == option {
			return true
		}
	}
	return false
}

func isValidTag(name string) bool {
	for _, c := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c) && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return false
		}
	}
	return name != ""
}
