package adopt

import (
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/extract"
)

// TestCalls says which of the copied functions conversions can call, and how.
func TestCalls(t *testing.T) {
	p := loadOperator(t, "./calls/v1", "./calls/v2")
	k := only(t, p)
	x, _, err := extract.Kind(p, k)
	if err != nil {
		t.Fatal(err)
	}
	found := x.Followed(k)
	var got []string
	for f := range found.Functions {
		if f.Synthetic == "" {
			got = append(got, strings.ReplaceAll(f.RelString(nil), "example.com/operator/calls/", ""))
		}
	}
	slices.Sort(got)
	want := []string{
		"(*v1.Demo).ConvertFrom", "(*v1.Demo).ConvertTo",
		"(*v1.Mode).UnmarshalText",                           // of a member, by the codec
		"(*v1.list).Swap", "(v1.list).Len", "(v1.list).Less", // by way of sort.Interface
		"(v1.Printed).String",     // by fmt
		"(v1.byInterface).size",   // by way of an interface
		"v1.generic",              // by an instance
		"v1.init$1",               // in a table
		"(*v1.Demo).ConvertTo$1",  // a closure
		"v1.inTable", "v1.passed", // as values
		"v1.static",
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
