package project

import (
	"go/token"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

// TestIsExact asserts which forms are decoded as in controller-runtime's webhook.
func TestIsExact(t *testing.T) {
	with, without := &operator.Program{Program: code.New(token.NewFileSet())}, &operator.Program{Program: code.New(token.NewFileSet())}
	with.All[kubeJSON] = &packages.Package{}
	for _, test := range []struct {
		k    discover.Resource
		want bool
	}{
		{discover.Resource{}, true}, // methods
		{discover.Resource{Form: discover.FormConverters}, true},
		{discover.Resource{Form: discover.FormFunctions}, true},
		{discover.Resource{Form: discover.FormKnative}, false},
		{discover.Resource{Form: discover.FormUnstructured}, false},
	} {
		if got := IsExact(test.k, with); got != test.want || IsExact(test.k, without) {
			t.Errorf("form %v: %v, and %v without %s", test.k.Form, got, IsExact(test.k, without), kubeJSON)
		}
	}
}
