package adopttest

import (
	"encoding/json"
	"reflect"
)

// words are texts that some conversion might parse.
func words() []string {
	return []string{"", "a", "name-1", "7", "30s", "1h5m", "10.0.0.0/8", "192.168.1.1", "65000:100", "https://example.com/x?y=<z>", "true", "100Mi", "é\u2028", "group.example.com/v1"}
}

// jsonTexts are values of annotations that some conversion might decode.
func jsonTexts() []string {
	return []string{`{}`, `{"a":1}`, `[]`, `null`, `{`, `"x"`, `true`, `{"spec":{},"status":{}}`, `["a","b"]`}
}

// texts are JSON values for types that decode themselves.
func texts() []string {
	return []string{`"2024-05-06T07:08:09Z"`, `"2024-05-06T07:08:09.123456Z"`, `"5m0s"`, `"1000000h0m0s"`, `"-1s"`, `"100m"`, `"2Gi"`, `{"a":[1,"<b>",{"c":null}]}`, `80`, `"http"`, `true`, `["x"]`, `"10%"`, `"AQID"`}
}

// structText returns the JSON text of a random value of one of the version's own types, which a
// conversion may expect in a value that is raw JSON; "" if there is none.
func (f *filler) structText() string {
	if len(f.structs) == 0 || f.nested {
		return ""
	}
	v := reflect.New(f.structs[f.r.Intn(len(f.structs))])
	inner := filler{r: f.r, density: []float64{0.1, 0.5}[f.r.Intn(2)], left: 60, given: f.given, structs: f.structs, largest: f.largest, wide: f.wide, nested: f.r.Intn(4) > 0, within: map[reflect.Type]bool{}}
	inner.fill(v.Elem(), 3)
	text, err := json.Marshal(v.Interface())
	if err != nil {
		return ""
	}
	return string(text)
}

// structsIn returns the struct types of a version that are declared in its own package.
func structsIn(t reflect.Type) (found []reflect.Type) {
	seen := map[reflect.Type]bool{}
	var walk func(in reflect.Type)
	walk = func(in reflect.Type) {
		if seen[in] {
			return
		}
		seen[in] = true
		switch in.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
			walk(in.Elem())
		case reflect.Struct:
			if in != t && in.PkgPath() == t.PkgPath() {
				found = append(found, in)
			}
			for i := range in.NumField() {
				walk(in.Field(i).Type)
			}
		}
	}
	walk(t)
	return found
}
