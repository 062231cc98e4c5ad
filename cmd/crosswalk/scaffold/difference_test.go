package scaffold

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/host/schema"
)

// deepDefinition is a definition whose versions differ in a field so many levels below spec.
func deepDefinition(t *testing.T, levels int) *schema.CRD {
	t.Helper()
	version := func(name, field string) string {
		text := `{"type":"object","properties":{"` + field + `":{"type":"string"}}}`
		for i := range levels {
			text = fmt.Sprintf(`{"type":"object","properties":{"l%d":%s}}`, levels-i, text)
		}
		return `{"name":"` + name + `","served":true,"storage":` + fmt.Sprint(name == "v1") + `,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":` + text + `}}}}`
	}
	crd, err := schema.Parse([]byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"as.example.com"},"spec":{"group":"example.com",` +
		`"names":{"kind":"A","plural":"as"},"scope":"Namespaced","versions":[` + version("v1", "old") + "," + version("v2", "new") + `]}}`))
	if err != nil {
		t.Fatal(err)
	}
	return crd
}

// TestDeepFields tests that a difference many levels down is listed and declared, and that one
// beyond the bound is said to be missing.
func TestDeepFields(t *testing.T) {
	crd := deepDefinition(t, 12)
	all := Differences(crd)
	if len(all[0].Gone) != 1 || !strings.HasSuffix(all[0].Gone[0], ".l12.old (a string)") || all[0].Unread != 0 {
		t.Errorf("%+v", all[0])
	}
	declared := Declarations(crd, []string{"v1", "v2"})
	if len(declared) != 2 || !slices.ContainsFunc(declared[0].Paths, func(path string) bool { return strings.HasSuffix(path, ".l12.old") }) {
		t.Errorf("%+v", declared)
	}

	crd = deepDefinition(t, 40)
	if all = Differences(crd); all[0].Unread == 0 {
		t.Errorf("%+v", all[0])
	}
	lines := Direction{Difference: &all[0]}.Notes()
	if last := lines[len(lines)-1]; !strings.Contains(last, "fields were not compared: they are deeper than 32 levels") {
		t.Errorf("%q", lines)
	}
	if declared := Declarations(crd, []string{"v1", "v2"}); declared != nil {
		t.Errorf("%+v", declared)
	}
}
