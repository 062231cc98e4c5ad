package prove

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
)

// fixture is a rules file and the schemas of its versions: spec of v1 and v2, as YAML. A version
// more is between spec and the next.
type fixture struct {
	name  string
	specs []string // of v1, v2 and so on
	rules string   // of the pairs of neighbours, with --- between them
	open  condition

	limits   []string // of the proof, sorted
	lossy    string   // the member of the file
	shared   string   // of all pairs
	lossless bool     // as far as fuzz sees
	whole    bool     // specs has the schemas of whole objects
}

// crd returns the definition.
func (f fixture) crd(t testing.TB) definition.Definition {
	t.Helper()
	all, err := definition.Read([]byte(definitionOf(f)))
	if err != nil {
		t.Fatalf("%s: %v\n%s", f.name, err, definitionOf(f))
	}
	return all[0]
}

// definitionOf returns the text of the definition.
func definitionOf(f fixture) string {
	var b strings.Builder
	b.WriteString("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: thingses.example.com}\n" +
		"spec:\n  group: example.com\n  scope: Namespaced\n  names: {kind: Thing, plural: thingses, singular: thing, listKind: ThingList}\n  versions:\n")
	for i, spec := range f.specs {
		schema := fmt.Sprintf("{type: object, properties: {spec: {type: object, properties: %s}}}", spec)
		if f.whole {
			schema = spec
		}
		fmt.Fprintf(&b, "  - name: v%d\n    served: true\n    storage: %v\n    schema: {openAPIV3Schema: %s}\n", i+1, i == 0, schema)
	}
	return b.String()
}

// text returns the rules file.
func (f fixture) text() string {
	var b strings.Builder
	b.WriteString("kind: Thing\ngroup: example.com\n" + f.lossy + "conversions:\n")
	for i, rules := range strings.Split(f.rules, "---\n") {
		fmt.Fprintf(&b, "- from: v%d\n  to: v%d\n", i+1, i+2)
		if f.shared != "" {
			fmt.Fprintf(&b, "  shared: %s\n", f.shared)
		}
		if rules == "" {
			b.WriteString("  rules: []\n")
			continue
		}
		b.WriteString("  rules:\n")
		for line := range strings.Lines(rules) {
			b.WriteString("  " + line)
		}
	}
	return b.String()
}

// parsed returns the rules and the definition.
func (f fixture) parsed(t testing.TB) (*rules.File, *apiserver.Definition) {
	t.Helper()
	file, err := rules.Parse([]byte(f.text()))
	if err != nil {
		t.Fatalf("%s: %v\n%s", f.name, err, f.text())
	}
	d, err := apiserver.New(f.crd(t).CRD)
	if err != nil {
		t.Fatalf("%s: %v", f.name, err)
	}
	return file, d
}

// fuzzed runs fuzz with so many objects.
func fuzzed(t testing.TB, f *rules.File, crd definition.Definition, objects int, large bool) *fuzz.Report {
	t.Helper()
	report, err := tryFuzz(t, f, crd, objects, large)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func tryFuzz(t testing.TB, f *rules.File, crd definition.Definition, objects int, large bool) (*fuzz.Report, error) {
	t.Helper()
	m, err := open(context.Background(), f)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	wasm, err := f.Module()
	if err != nil {
		t.Fatal(err)
	}
	return fuzz.Run(context.Background(), fuzz.Config{CRD: crd.CRD, Modules: []fuzz.Module{m}, Words: fuzz.Literals(wasm), Seed: seed, Objects: objects, Large: large})
}

// losses returns what fuzz finds within so many objects, as text.
func losses(t testing.TB, f *rules.File, crd definition.Definition, objects int, large bool) (found []string) {
	t.Helper()
	for _, one := range reported(fuzzed(t, f, crd, objects, large)) {
		if Loses(&one) || one.Property == fuzz.Size && large {
			found = append(found, one.Text()+"\n"+string(one.Object))
		}
	}
	return found
}

// unstated returns the losses that fuzz finds in so many objects of rules that were proved, apart from
// those that the proof states as limits.
func unstated(t testing.TB, proof Lemmas, f *rules.File, crd definition.Definition, objects int) (found []string) {
	t.Helper()
	return unstatedIn(fuzzed(t, f, crd, objects, false), proof)
}

func unstatedIn(report *fuzz.Report, proof Lemmas) (found []string) {
	v := &Verdict{Limits: proof.Limits}
	for _, one := range reported(report) {
		if (Loses(&one) || one.Property == fuzz.Undeclared) && !v.stated(&one) {
			found = append(found, one.Text()+"\n"+string(one.Object))
		}
	}
	return found
}

// reported returns the findings, also those that the file acknowledges: they are losses all the same.
func reported(report *fuzz.Report) []fuzz.Finding {
	return slices.Concat(report.Findings, report.Known)
}

// listed returns the conditions that are open.
func listed(open []Open) (all []string) {
	for _, o := range open {
		if !slices.Contains(all, o.Condition) {
			all = append(all, o.Condition)
		}
	}
	return all
}

func encoded(t testing.TB, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
