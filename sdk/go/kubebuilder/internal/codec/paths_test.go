package codec

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unsafe"
)

// The decoder and the encoder write out the usual cases. These tests go through their borders.

func TestStringsOfEachLength(t *testing.T) {
	c := NewSet(standard()).Codec(reflect.TypeFor[struct{ A, B string }]())
	for length := range 26 {
		for at := range length + 1 {
			for _, special := range []string{"", `"`, `\`, "\n", "\x1f", " ", "<", ">", "&", "é", "\u2028", "\xff", "\x7f"} {
				if at == length && special != "" {
					continue
				}
				s := strings.Repeat("x", length)
				if special != "" {
					s = s[:at] + special + s[at+1:]
				}
				v := struct{ A, B string }{s, s + "y"}
				text := compareEncoding(t, c, reflect.ValueOf(&v))
				compareDecoding(t, c, reflect.TypeOf(v), text)
				compareDecoding(t, c, reflect.TypeOf(v), `{"A":"`+s+`","B":"`+s) // mostly no JSON
			}
		}
	}
}

func TestNamesOfEachLength(t *testing.T) {
	var fields []reflect.StructField
	add := func(name string) {
		fields = append(fields, reflect.StructField{
			Name: fmt.Sprintf("F%d", len(fields)), Type: reflect.TypeFor[int](), Tag: reflect.StructTag(`json:"` + name + `"`),
		})
	}
	for length := 1; length < 40; length++ { // the same beginnings and ends, other middles
		for _, middle := range "ab" {
			add(strings.Repeat("n", length/2) + string(middle) + strings.Repeat("n", length-length/2-1))
		}
	}
	for _, most := range []int{len(fields), 130} {
		for len(fields) < most {
			add(fmt.Sprintf("other%d", len(fields)))
		}
		of := reflect.StructOf(fields)
		c := NewSet(standard()).Codec(of)
		v := reflect.New(of)
		for i := range fields {
			v.Elem().Field(i).SetInt(int64(i + 1))
		}
		text := compareEncoding(t, c, v)
		for _, s := range []string{text, strings.ToUpper(text), strings.ReplaceAll(text, "n", `\u006e`), strings.ReplaceAll(text, ":", "\t:\n"), strings.ReplaceAll(text, "nn", "nm")} {
			if !compareDecoding(t, c, of, s) {
				t.Errorf("%s is not decoded", s)
			}
		}
	}
}

func TestNumbersOfEachLength(t *testing.T) {
	type numbers struct {
		A int
		B int32
		C int8
		D uint
		E *int64
		F float64
		G any
	}
	c := NewSet(standard()).Codec(reflect.TypeFor[numbers]())
	for _, sign := range []string{"", "-", "+", "0", "-0"} {
		for _, rest := range []string{"", ".", ".0", "e1", "E", ".5e3", " ", "x"} {
			for length := range 22 {
				number := sign + "3456789012345678901234"[:length] + rest
				for i := range reflect.TypeFor[numbers]().NumField() {
					name := reflect.TypeFor[numbers]().Field(i).Name
					compareDecoding(t, c, reflect.TypeFor[numbers](), `{"`+name+`":`+number+`}`)
					compareDecoding(t, c, reflect.TypeFor[numbers](), `{"`+name+`":`+number)
				}
			}
		}
	}
}

// TestListsBeyondASlab decodes lists that outgrow the memory of their type, nested and twice, which
// overwrites elements.
func TestListsBeyondASlab(t *testing.T) {
	type node struct {
		Name string  `json:"name"`
		List []node  `json:"list"`
		More []*node `json:"more"`
		Text []string
		N    []int8
		Few  [3]bool
	}
	set := NewSet(standard())
	c := set.Codec(reflect.TypeFor[node]())
	set.Warm()
	element := `{"name":"a","list":[{"name":"b"},{"list":[{},{"name":"c"}]}],"more":[null,{"name":"d","more":[{}]}],"Text":["x","\n","",null],"N":[1,2,3],"Few":[true,true,false,true]}`
	for _, count := range []int{0, 1, 2, 3, 15, 16, 17, 40, 500} {
		list := strings.TrimSuffix(strings.Repeat(element+" ,\n", count), " ,\n")
		text := `{"list":[` + list + `],"list":[{"name":"first"} , {"N":[]}],"list":[` + list + `]}`
		if !compareDecoding(t, c, reflect.TypeFor[node](), text) {
			t.Fatalf("%d elements are not decoded", count)
		}
	}
}

// TestDecodedValuesStay decodes one object after the other, and then looks at the first again.
func TestDecodedValuesStay(t *testing.T) {
	type value struct {
		Name string
		To   *value
		List []string
		Map  map[string]*value
	}
	set := NewSet(standard())
	c := set.Codec(reflect.TypeFor[value]())
	var all []*value
	for i := range 1000 {
		v := (*value)(c.New())
		if err := c.Decode(fmt.Appendf(nil, `{"Name":"n%d","To":{"Name":"\u0074%d"},"List":["a","b%d"],"Map":{"k":{"Name":"m%d"}}}`, i, i, i, i), unsafe.Pointer(v)); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	for i, v := range all {
		if got := v.Name + v.To.Name + v.List[1] + v.Map["k"].Name; got != fmt.Sprintf("n%dt%db%dm%d", i, i, i, i) {
			t.Fatalf("value %d became %s", i, got)
		}
	}
}
