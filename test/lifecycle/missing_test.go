package lifecycle

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	rbac "k8s.io/api/rbac/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
	"github.com/crosswalk-gateway/crosswalk/test/internal/artifacts"
	"github.com/crosswalk-gateway/crosswalk/test/internal/controlplane"
)

// right is one verb for one resource.
type right struct{ group, resource, verb string }

func (r right) String() string { return r.verb + " " + r.resource }

// rights are all that attach --convertible, retire and detach of a definition of a group need, and
// which of the commands fails without each.
func rights(group string) map[right][]string {
	const crds, policies = "apiextensions.k8s.io", "admissionregistration.k8s.io"
	return map[right][]string{
		{crds, "customresourcedefinitions", "get"}:                {"attach", "retire", "detach"},
		{crds, "customresourcedefinitions", "patch"}:              {"attach", "detach"},
		{crds, "customresourcedefinitions", "update"}:             {"retire"},
		{crds, "customresourcedefinitions/status", "patch"}:       {"retire"},
		{group, "puppets", "get"}:                                 {"attach", "retire"},
		{group, "puppets", "list"}:                                {"attach", "retire", "detach"},
		{group, "puppets", "patch"}:                               {"retire"},
		{policies, "validatingadmissionpolicies", "list"}:         {"attach"},
		{policies, "validatingadmissionpolicies", "create"}:       {"attach"},
		{policies, "validatingadmissionpolicies", "patch"}:        {"attach"},
		{policies, "validatingadmissionpolicies", "delete"}:       {}, // they stay without effect
		{policies, "validatingadmissionpolicybindings", "list"}:   {"attach"},
		{policies, "validatingadmissionpolicybindings", "create"}: {"attach"},
		{policies, "validatingadmissionpolicybindings", "patch"}:  {"attach"},
		{policies, "validatingadmissionpolicybindings", "delete"}: {},
	}
}

// TestEachRightMissing lets users who lack one right each attach a definition, retire its v1, and
// detach it. Each command ends with success or with a sentence that names the right, changes nothing
// or all, and an administrator can run it again.
func TestEachRightMissing(t *testing.T) {
	var all []right
	for r := range rights("") {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b right) int { return strings.Compare(a.String(), b.String()) })
	users, modules := controlplane.Users{}, map[string][]byte{}
	content, err := artifacts.Read("test", "testdata", "guests", "puppet.wasm")
	must(t, err)
	group := func(i int) string { return fmt.Sprintf("g%d.example.com", i) }
	for i := range all {
		users[fmt.Sprintf("user%d-token", i)] = fmt.Sprintf("user%d", i)
		modules["Puppet."+group(i)+"_v1_v2.wasm"] = content
	}
	p := plane(t, users, "garbage-collector-controller")
	g := startGateway(t, modules)
	ca := filepath.Join(t.TempDir(), "ca.crt")
	must(t, os.WriteFile(ca, g.CA, 0o600))
	binary, d := build(t, "crosswalk"), newDefinitions(t, p)
	client, err := kubernetes.NewForConfig(p.Admin)
	must(t, err)
	objects, err := dynamic.NewForConfig(p.Admin)
	must(t, err)
	config := func(user string) string {
		file := filepath.Join(t.TempDir(), user)
		must(t, p.WriteKubeconfig(file, user+"-token"))
		return file
	}
	admin := config("admin")

	t.Run("each", func(t *testing.T) {
		for i, without := range all {
			group, user := group(i), fmt.Sprintf("user%d", i)
			var rules []rbac.PolicyRule
			var fails []string
			for r, commands := range rights(group) {
				if r == without || without.group == "" && r == (right{group, without.resource, without.verb}) {
					fails = commands
					continue
				}
				rules = append(rules, rbac.PolicyRule{APIGroups: []string{r.group}, Resources: []string{r.resource}, Verbs: []string{r.verb}})
			}
			allow(t, p, user, rules...)
			limited := config(user)
			t.Run(strings.ReplaceAll(without.String(), " ", "_"), func(t *testing.T) {
				t.Parallel()
				crd := puppets("v1", "v2")
				crd.Name, crd.Spec.Group = "puppets."+group, group
				_, err := d.ApiextensionsV1().CustomResourceDefinitions().Create(deadline(t), crd, metav1.CreateOptions{})
				must(t, err)
				at := func(version string) dynamic.ResourceInterface {
					return objects.Resource(schema.GroupVersionResource{Group: group, Version: version, Resource: "puppets"}).Namespace("default")
				}
				eventually.Succeeds(t, "v1 is served", func() error { _, err := at("v1").List(deadline(t), metav1.ListOptions{}); return err })
				one := puppetObject("v1", "one", "")
				one.SetAPIVersion(group + "/v1")
				eventually.Succeeds(t, "creating an object", func() error {
					_, err := at("v1").Apply(deadline(t), "one", one, metav1.ApplyOptions{FieldManager: "old"})
					return err
				})
				// policies counts the policies and bindings of the definition.
				policies := func() (n int) {
					vaps, err := client.AdmissionregistrationV1().ValidatingAdmissionPolicies().List(deadline(t), metav1.ListOptions{})
					must(t, err)
					for _, o := range vaps.Items {
						if strings.HasSuffix(o.Name, "."+crd.Name) {
							n++
						}
					}
					bindings, err := client.AdmissionregistrationV1().ValidatingAdmissionPolicyBindings().List(deadline(t), metav1.ListOptions{})
					must(t, err)
					for _, o := range bindings.Items {
						if strings.HasSuffix(o.Name, "."+crd.Name) {
							n++
						}
					}
					return n
				}
				// try runs a command as the limited user, and as the administrator if that fails.
				try := func(command string, unchanged func() error, args ...string) {
					t.Helper()
					code, output := run(t, binary, limited, args...)
					if fail := slices.Contains(fails, command); (code != 0) != fail {
						t.Errorf("%s without %s ended with %d", command, without, code)
					} else if fail && !strings.Contains(output, fmt.Sprintf("cannot %s resource %q", without.verb, without.resource)) {
						t.Errorf("%s without %s does not name the right", command, without)
					}
					if err := unchanged(); code != 0 && err != nil {
						t.Errorf("%s without %s: %v", command, without, err)
					}
					if code != 0 {
						tool(t, binary, admin, args...)
					}
				}
				strategy := func() apiextensions.ConversionStrategyType { return d.get(t, crd.Name).Spec.Conversion.Strategy }
				try("attach", func() error {
					return errorf(strategy() == apiextensions.NoneConverter && policies() == 0, "the definition has the strategy %s and %d policies", strategy(), policies())
				}, "attach", "--convertible", crd.Name, "--url", g.URL(), "--ca-file", ca)
				if strategy() != apiextensions.WebhookConverter || policies() != 4 {
					t.Fatalf("attached, the definition has the strategy %s and %d policies", strategy(), policies())
				}
				try("retire", func() error {
					now := d.get(t, crd.Name)
					return errorf(len(now.Spec.Versions) == 2 && now.Spec.Conversion.Strategy == apiextensions.WebhookConverter, "the definition is %+v", now.Spec)
				}, "retire", crd.Name, "v1", "--yes", "--idle", "0s")
				now := d.get(t, crd.Name)
				if len(now.Spec.Versions) != 1 || now.Spec.Conversion.Strategy != apiextensions.NoneConverter {
					t.Errorf("v1 is retired, and the definition is %+v", now.Spec)
				}
				one.SetAPIVersion(group + "/v2")
				if _, err := at("v2").Apply(deadline(t), "one", one, metav1.ApplyOptions{FieldManager: "old"}); err != nil {
					t.Errorf("applying at v2 after v1 is retired: %v", err)
				}

				tool(t, binary, admin, "attach", crd.Name, "--url", g.URL(), "--ca-file", ca)
				try("detach", func() error { return errorf(strategy() == apiextensions.WebhookConverter, "the stanza is gone") }, "detach", crd.Name)
				if strategy() != apiextensions.NoneConverter {
					t.Error("detached, the definition has a stanza")
				}
			})
		}
	})
}
