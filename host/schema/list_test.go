package schema

import (
	"strconv"
	"strings"
	"testing"
)

func TestList(t *testing.T) {
	const (
		set     = `{type: array, x-kubernetes-list-type: set, items: {x-kubernetes-preserve-unknown-fields: true}}`
		one     = `{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], items: {type: object, properties: {name: {type: string}, v: {type: integer}}}}`
		two     = `{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [port, protocol], items: {type: object, properties: {port: {type: integer}, protocol: {type: string, default: TCP}}}}`
		twice   = ": repeats an earlier element, and the list is a set"
		name    = ": repeats the name of an earlier element, which is the key of the list"
		nameTwo = ": repeats the port, protocol of an earlier element, which are the keys of the list"
	)
	runRulings(t, Options{}, []ruling{
		{"minItems", `{type: array, minItems: 2, items: {type: string}}`, `["a"]`, []string{": must have at least 2 elements"}},
		{"minItems met", `{type: array, minItems: 2, items: {type: string}}`, `["a","a"]`, nil},
		{"maxItems", `{type: array, maxItems: 1, items: {type: string}}`, `["a","b"]`, []string{": must have at most 1 element"}},
		{"maxItems 0", `{type: array, maxItems: 0, items: {type: string}}`, `[1]`, []string{"[0]: must be a string, not a number", ": must have at most 0 elements"}},
		{"without items", `{type: array}`, `[1,"a",{}]`, nil},
		{"fields without items", `{type: array}`, `[{"a":1},[{"b":1}]]`, []string{"[0].a: <-", "[1][0].b: <-"}},
		{"of lists", `{type: array, items: {type: array, items: {type: integer}}}`, `[[1],[],[2,"x"]]`, []string{"[2][1]: must be an integer, not a string"}},
		{"uniqueItems", `{type: array, uniqueItems: true, items: {type: string}}`, `["a","b","a"]`, []string{"[2]: repeats an earlier element"}},

		{"set", set, `["a","b","a","a"]`, []string{"[2]" + twice, "[3]" + twice}},
		{"set met", set, `["a","A","",1,"1",true,"true",null,"null",{},[],[[]],[{}],{"a":1},["a"],["a","b"],["ab"],1.5,-1]`, nil},
		{"set, escapes", set, `["a","\u0061"]`, []string{"[1]" + twice}},
		{"set, numbers", set, `[1,1.0,10e-1,2]`, []string{"[1]" + twice, "[2]" + twice}},
		{"set, large numbers", set, `[9007199254740993,9007199254740992]`, nil},
		{"set, objects", set, `[{"a":1,"b":2},{"b":2,"a":1}]`, []string{"[1]" + twice}},
		{"set, objects that only look alike", set, `[{"a":"1,b:2"},{"a":1,"b":2},{"a,b":"1:2"}]`, nil},
		{"set, arrays", set, `[[1,2],[2,1],[1,2]]`, []string{"[2]" + twice}},
		{"set, nulls", set, `[null,null]`, []string{"[1]" + twice}},
		{"set of sets", `{type: array, x-kubernetes-list-type: set, items: {type: array, x-kubernetes-list-type: set, items: {type: integer}}}`,
			`[[1,2],[1,1],[1,2]]`, []string{"[1][1]" + twice, "[2]" + twice}},

		{"map", one, `[{"name":"a"},{"name":"b"},{"name":"a","v":1}]`, []string{"[2]" + name}},
		{"map met", one, `[{"name":"a","v":1},{"name":"b","v":1}]`, nil},
		{"map, key last", one, `[{"v":1,"name":"a"},{"name":"\u0061"}]`, []string{"[1]" + name}},
		{"map, no key", one, `[{"v":1},{"name":"a"},{"v":2}]`, []string{"[2]" + name}},
		{"map, null key", one, `[{"name":null},{"name":"a"},{"v":2}]`, []string{"[2]" + name}},
		{"map, no objects", one, `["a",{"name":"a"},"a"]`, []string{"[0]: must be an object, not a string", "[2]: must be an object, not a string"}},
		{"map, nulls", one, `[{"v":1},null]`, []string{"[1]: must be an object, not null", "[1]" + name}},
		{"map, empty key", one, `[{"name":""},{}]`, nil},
		{"map of two", two, `[{"port":1,"protocol":"UDP"},{"port":1},{"protocol":"UDP","port":1},{"port":1}]`, []string{"[2]" + nameTwo, "[3]" + nameTwo}},
		{"map of two met", two, `[{"port":1,"protocol":"UDP"},{"port":2,"protocol":"UDP"},{"port":1},{"protocol":"UDP"}]`, nil},
		{"map in a map", `{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], items: {type: object, properties: {inner: ` + one + `, name: {type: string}}}}`,
			`[{"inner":[{"name":"a"},{"name":"b"},{"name":"a"}],"name":"a"},{"inner":[{"name":"a"}],"name":"b"},{"name":"a","inner":[{"name":"b"},{"name":"b"}]}]`,
			[]string{"[0].inner[2]" + name, "[2].inner[1]" + name, "[2]" + name}},
		{"atomic", `{type: array, x-kubernetes-list-type: atomic, items: {type: string}}`, `["a","a"]`, nil},
	})
}

// TestLongList checks lists that are long enough for a hash table.
func TestLongList(t *testing.T) {
	var spec, want []string
	for i := range 3000 {
		text := strconv.Quote("n-" + strconv.Itoa(i%1000*7%1000))
		spec = append(spec, text)
		if i >= 1000 {
			want = append(want, "["+strconv.Itoa(i)+"]: repeats an earlier element, and the list is a set")
		}
	}
	runRulings(t, Options{}, []ruling{
		{"", `{type: array, x-kubernetes-list-type: set, items: {type: string}}`, "[" + strings.Join(spec, ",") + "]", want},
	})
}
