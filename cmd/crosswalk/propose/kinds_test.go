package propose

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/propose/values"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
	"github.com/crosswalk-gateway/crosswalk/host/schema"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// outcome is the result of a proposal for the objects of a kind.
type outcome struct {
	right   bool // each object is as the operator converts it
	visible int  // values that differ between the versions and that the other version shows
	of      int
	silent  []string // wrong values about which no rule or remark says anything
}

func (o outcome) String() string {
	word := map[bool]string{true: "right", false: "wrong"}[o.right]
	return fmt.Sprintf("%s %d/%d", word, o.visible, o.of)
}

// kindsOf are the definitions of the kinds in testdata/kinds, and whether the proposals are right, with the
// number of values that clients of the other version see, of those that differ in it: without objects, and
// with the first two objects of each file in all of its versions. Where no value differs, rules that do
// nothing are right, too.
var kindsOf = []struct{ name, crd, without, with string }{
	{"bgppeer", "cmd/crosswalk/prove/testdata/real/bgppeer.yaml.gz", "right 0/0", "right 0/0"},
	{"certificate", "plugins/certificate/crd.yaml", "right 40/40", "right 40/40"},
	{"cluster", "host/schema/testdata/clusters.cluster.x-k8s.io.yaml.gz", "wrong 7/10", "wrong 7/10"},
	{"clusterqueue", "cmd/crosswalk/prove/testdata/real/clusterqueue.yaml.gz", "wrong 4/10", "wrong 6/10"},
	{"cronjob", "cmd/crosswalk/prove/testdata/real/cronjob.yaml", "right 9/9", "right 9/9"},
	{"crontab", "plugins/crontab/crd.yaml", "right 16/16", "right 16/16"},
	{"database", "plugins/database/crd.yaml", "wrong 8/15", "right 15/15"},
	{"environment", "plugins/environment/crd.yaml", "wrong 21/40", "wrong 21/40"},
	{"eventtype", "cmd/crosswalk/prove/testdata/real/eventtype.yaml.gz", "wrong 0/36", "wrong 0/36"},
	{"externalsecret", "cmd/crosswalk/prove/testdata/real/externalsecret.yaml.gz", "right 7/7", "right 7/7"},
	{"flowcollector", "cmd/crosswalk/propose/testdata/flowcollector.yaml", "wrong 54/64", "right 64/64"},
	{"healthcheck", "plugins/healthcheck/crd.yaml", "wrong 4/29", "wrong 8/29"},
	{"hostport", "plugins/hostport/crd.yaml", "right 7/7", "right 7/7"},
	{"localqueue", "cmd/crosswalk/prove/testdata/real/localqueue.yaml.gz", "right 12/12", "right 12/12"},
	{"machinedeployment", "host/schema/testdata/machinedeployments.cluster.x-k8s.io.yaml.gz", "wrong 15/26", "wrong 20/26"},
	{"multikueuecluster", "cmd/crosswalk/prove/testdata/real/multikueuecluster.yaml.gz", "right 7/7", "right 7/7"},
	{"nodepool", "cmd/crosswalk/prove/testdata/real/nodepool.yaml.gz", "wrong 4/9", "wrong 5/9"},
	{"task", "host/schema/testdata/tasks.tekton.dev.yaml.gz", "right 9/9", "right 9/9"},
	{"widget", "plugins/widget-v1beta1-v1/crd.yaml", "wrong 12/19", "right 19/19"},
	{"workload", "cmd/crosswalk/prove/testdata/real/workload.yaml.gz", "wrong 8/15", "wrong 8/15"},
}

// TestProposalsAreRight compares objects that the proposed rules convert with those that the operators' own
// conversions make. The objects after the first two were never shown to init.
func TestProposalsAreRight(t *testing.T) {
	for _, kind := range kindsOf {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			if info, err := os.Stat(filepath.Join("../../..", filepath.FromSlash(kind.crd))); testing.Short() && (err != nil || info.Size() > 9_000) {
				t.Skip("a large definition")
			}
			text, err := os.ReadFile(filepath.Join("testdata/kinds", kind.name+".yaml"))
			if err != nil {
				t.Fatal(err)
			}
			var cases [][]map[string]any
			if err := yaml.Unmarshal(text, &cases); err != nil {
				t.Fatal(err)
			}
			all, err := definition.Read(definitionIn(t, filepath.Join("../../..", filepath.FromSlash(kind.crd))))
			if err != nil {
				t.Fatal(err)
			}
			given := values.NewObserved(all[0].CRD)
			for _, objects := range cases[:2] {
				for _, object := range objects {
					manifest, _ := json.Marshal(object)
					if of, err := given.Add(manifest, kind.name); !of || err != nil {
						t.Fatal(of, err)
					}
				}
			}
			for _, one := range []struct {
				given *values.Observed
				want  string
			}{{nil, kind.without}, {given, kind.with}} {
				got := judge(t, all[0], one.given, cases)
				if got.String() != one.want {
					t.Errorf("with objects: %v: %v, want %s", one.given != nil, got, one.want)
				}
				if len(got.silent) > 0 {
					t.Errorf("with objects: %v: wrong in silence: %s", one.given != nil, strings.Join(got.silent, ", "))
				}
			}
		})
	}
}

// judge proposes rules, verifies them as init does, and converts objects with them.
func judge(t *testing.T, d definition.Definition, given *values.Observed, cases [][]map[string]any) (o outcome) {
	t.Helper()
	crd, err := schema.Parse(d.Text)
	if err != nil {
		t.Fatal(err)
	}
	var versions []string
	for _, v := range crd.Versions {
		versions = append(versions, v.Name)
	}
	p := Rules(crd, versions, given)
	if _, err := Verify(t.Context(), p, d.CRD, Bounds{Objects: 300, Time: never}); err != nil {
		t.Fatal(err)
	}
	m := moduleOf(t, p.Text())
	o.right = true
	said := map[string]bool{}
	remarks := strings.Join(p.Verified, "\n")
	for _, pair := range p.Pairs {
		remarks += " " + strings.Join(append(pair.Seen, pair.Offers...), " ")
		for _, r := range pair.All() {
			if strings.HasPrefix(r.Text, "drop: ") || len(r.Lost) > 0 {
				said[r.Paths[0]], said[r.Paths[1]] = true, true
			}
		}
	}
	for _, word := range strings.Fields(remarks) {
		said[strings.Trim(word, ".,:;()")] = true
	}
	for i, objects := range cases {
		for _, want := range objects[1:] {
			version := want["apiVersion"].(string)[len(d.CRD.Spec.Group)+1:]
			objects[0]["metadata"].(map[string]any)["uid"] = "5a2e1f0c-0000-4000-8000-000000000001"
			from, _ := json.Marshal(objects[0])
			converted, refused, err := m.ConvertUncounted(t.Context(), want["apiVersion"].(string), [][]byte{from})
			if err != nil || len(refused) > 0 {
				t.Errorf("object %d to %s: %v %v", i, version, refused, err)
				o.silent = append(o.silent, "refused")
				continue
			}
			var got map[string]any
			if err := json.Unmarshal(converted[0], &got); err != nil {
				t.Fatal(err)
			}
			before, wanted, is := leavesOf(objects[0]), leavesOf(want), leavesOf(got)
			for path, v := range wanted {
				if !reflect.DeepEqual(before[path], v) {
					if o.of++; reflect.DeepEqual(is[path], v) {
						o.visible++
					}
				}
			}
			for _, path := range slices.Sorted(maps.Keys(merged(wanted, is))) {
				if reflect.DeepEqual(wanted[path], is[path]) {
					continue
				}
				o.right = false
				t.Logf("object %d to %s: %s: %v, want %v", i, version, path, is[path], wanted[path])
				known := false
				for at := range said {
					known = known || about(path, at)
					for source, v := range before { // the value is in a field that is dropped
						known = known || about(source, at) && is[path] == nil && reflect.DeepEqual(v, wanted[path])
					}
				}
				if !known && !slices.Contains(o.silent, path) {
					o.silent = append(o.silent, path)
				}
			}
		}
	}
	return o
}

// moduleOf returns the module of rules.
func moduleOf(t *testing.T, text []byte) *module.Module {
	t.Helper()
	f, err := rules.Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	wasm, err := f.Module()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), f.ModuleName())
	if err := os.WriteFile(path, wasm, 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := runtime.Open(t.Context(), path, runtime.OpenConfig{Limits: fuzz.Limits(module.Limits{})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

// leavesOf returns the values of an object by their paths. It leaves out metadata, nulls, and the zeros of
// Go types, which operators write where a field has no value.
func leavesOf(object map[string]any) map[string]any {
	all := map[string]any{}
	var add func(at string, v any)
	add = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				add(at+"."+name, member)
			}
		case []any:
			for i, element := range v {
				add(fmt.Sprintf("%s[%d]", at, i), element)
			}
		case nil:
		default:
			if !reflect.ValueOf(v).IsZero() {
				all[at] = v
			}
		}
	}
	for name, v := range object {
		if name != "metadata" && name != "apiVersion" && name != "kind" {
			add(name, v)
		}
	}
	return all
}

// merged returns the values of both.
func merged(a, b map[string]any) map[string]any {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// about reports whether a path, with indices and keys, is around a field of rules, or within it.
func about(path, field string) bool {
	steps := strings.Split(strings.NewReplacer("[", ".", "]", "").Replace(path), ".")
	for i, step := range strings.Split(strings.NewReplacer("[]", ".*").Replace(field), ".") {
		if field == "" || i < len(steps) && step != "*" && step != steps[i] {
			return false
		}
	}
	return true
}
