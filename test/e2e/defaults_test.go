package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crosswalk-gateway/crosswalk/test/internal/apiserver"
)

// TestMissingDefaults: an API server sets the defaults of a version when it decodes an object of it, from
// a request or from etcd, and not after a conversion. So a client of the version that is not stored gets
// a default from the conversion, or not at all. crosswalk fuzz says which, for either stored version.
func TestMissingDefaults(t *testing.T) {
	const plain, mode, strategy = "", "mode: {type: string, default: Rolling}", "strategy: {type: string, default: Rolling}"
	for _, c := range []struct{ name, v1, v2, rules, missing string }{ // missing are the versions whose clients lack a default while the other one is stored
		{"dropped", plain, mode, "{drop: spec.mode, in: v2, stash: false}", "v2"},
		{"kept in the stash", plain, mode, "{drop: spec.mode, in: v2}", ""},
		{"set by the conversion", plain, mode, "{drop: spec.mode, in: v2, stash: false}, {default: spec.mode, in: v2, value: Rolling}", ""},
		{"dropped in both", strategy, mode, "{drop: spec.strategy, in: v1, stash: false}, {drop: spec.mode, in: v2, stash: false}", "v1 v2"},
		{"from the default of v1", strategy, mode, "{rename: spec.strategy, to: spec.mode, oneWay: {to: v2, reason: r}}", "v1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			definition := func(stored string) []byte {
				text := "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: rollouts.defaults.example.com}\nspec:\n  group: defaults.example.com\n  scope: Namespaced\n  names: {kind: Rollout, listKind: RolloutList, plural: rollouts, singular: rollout}\n  versions:\n"
				for version, field := range map[string]string{"v1": c.v1, "v2": c.v2} {
					text += "  - {name: " + version + ", served: true, storage: " + strconv.FormatBool(version == stored) + ", schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}, " + field + "}}}}}}\n"
				}
				return []byte(text)
			}
			for name, text := range map[string]string{
				"crd.yaml":   string(definition("v1")),
				"rules.yaml": "kind: Rollout\ngroup: defaults.example.com\nconversions: [{from: v1, to: v2, rules: [" + c.rules + "]}]\n",
			} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			served := t.TempDir()
			if code, _ := tool(t, "compile", "-o", served, filepath.Join(dir, "rules.yaml")); code != 0 {
				t.Fatalf("exit code %d", code)
			}
			_, text := tool(t, "fuzz", "--objects", "100", "-o", "json", "--crd", filepath.Join(dir, "crd.yaml"), served)
			var reports []struct {
				Findings, Known []struct{ From, Class string } // oneWay is acknowledged
			}
			if err := json.Unmarshal([]byte(text), &reports); err != nil || len(reports) != 1 {
				t.Fatal(err)
			}
			p := readyGateway(t, served)
			for client, stored := range map[string]string{"v1": "v2", "v2": "v1"} {
				crd, err := apiserver.ParseCRD(definition(stored))
				if err != nil {
					t.Fatal(err)
				}
				name := strings.TrimPrefix(client, "v") + strings.ReplaceAll(c.name, " ", "-")
				t.Run(client, func(t *testing.T) {
					install(t, shared.uncached, crd, p.URL(), p.CA)
					at := shared.uncached.Resource(crd, client)
					answers := map[string]*unstructured.Unstructured{"create": create(t, at, object(t, "apiVersion: defaults.example.com/"+client+"\nkind: Rollout\nmetadata: {name: r"+name+"}\nspec: {size: 1}"))}
					answers["get"] = get(t, at, "r"+name)
					list, err := at.List(deadline(t), metav1.ListOptions{})
					if err != nil || len(list.Items) != 1 {
						t.Fatalf("%v, %v", list, err)
					}
					answers["list"] = &list.Items[0]
					field, _, _ := strings.Cut(map[string]string{"v1": c.v1, "v2": c.v2}[client], ":")
					missing := slices.Contains(strings.Fields(c.missing), client)
					for verb, o := range answers {
						if value, there, _ := unstructured.NestedString(o.Object, "spec", field); field != "" && (missing == there || there && value != "Rolling") {
							t.Errorf("%s gives a client of %s\n%s", verb, client, show(o.Object["spec"]))
						}
					}
					found := 0
					for _, f := range slices.Concat(reports[0].Findings, reports[0].Known) {
						if f.From == client && f.Class == "default" {
							found++
						}
					}
					if (found == 1) != missing {
						t.Errorf("fuzz has %d findings about a default of %s", found, client)
					}
				})
			}
		})
	}
}
