package lifecycle

import (
	"path/filepath"
	"strings"
	"testing"

	rbac "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
	"github.com/crosswalk-gateway/crosswalk/test/internal/controlplane"
)

// TestRetireWithoutRights: a user who lacks a right reads which one, and nothing is half-done.
func TestRetireWithoutRights(t *testing.T) {
	p := plane(t, controlplane.Users{"none-token": "none", "reader-token": "reader", "owner-token": "owner"})
	binary := build(t, "crosswalk")
	client, err := kubernetes.NewForConfig(p.Admin)
	must(t, err)
	crds := rbac.PolicyRule{APIGroups: []string{"apiextensions.k8s.io"}, Resources: []string{"customresourcedefinitions"}, Verbs: []string{"get", "list"}}
	objects := rbac.PolicyRule{APIGroups: []string{"puppet.example.com"}, Resources: []string{"puppets"}, Verbs: []string{"get", "list"}}
	change := rbac.PolicyRule{APIGroups: []string{"apiextensions.k8s.io"}, Resources: []string{"customresourcedefinitions", "customresourcedefinitions/status"}, Verbs: []string{"get", "list", "update", "patch"}}
	for user, rules := range map[string][]rbac.PolicyRule{"none": {crds}, "reader": {crds, objects}, "owner": {change, objects}} {
		_, err := client.RbacV1().ClusterRoles().Create(deadline(t), &rbac.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "test-" + user}, Rules: rules}, metav1.CreateOptions{})
		must(t, err)
		_, err = client.RbacV1().ClusterRoleBindings().Create(deadline(t), &rbac.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: "test-" + user}, RoleRef: rbac.RoleRef{APIGroup: rbac.GroupName, Kind: "ClusterRole", Name: "test-" + user},
			Subjects: []rbac.Subject{{APIGroup: rbac.GroupName, Kind: rbac.UserKind, Name: user}},
		}, metav1.CreateOptions{})
		must(t, err)
	}
	d := newDefinitions(t, p)
	crd := puppets("v1", "v2")
	crd.Spec.Conversion = nil
	crd.Spec.Versions[0].Served = false // only v2 is served and stored, and v1 may leave
	crd.Spec.Versions[0].Storage, crd.Spec.Versions[1].Storage = false, true
	_, err = d.ApiextensionsV1().CustomResourceDefinitions().Create(deadline(t), crd, metav1.CreateOptions{})
	must(t, err)
	all, err := dynamic.NewForConfig(p.Admin)
	must(t, err)
	at := all.Resource(schema.GroupVersionResource{Group: "puppet.example.com", Version: "v2", Resource: "puppets"}).Namespace("default")
	eventually.Succeeds(t, "v2 is served", func() error { _, err := at.List(deadline(t), metav1.ListOptions{}); return err })

	as := func(user string) string {
		kubeconfig := filepath.Join(t.TempDir(), user)
		must(t, p.WriteKubeconfig(kubeconfig, user+"-token"))
		return kubeconfig
	}
	before := d.get(t, crd.Name)
	for _, test := range []struct {
		user string
		args []string
		code int
		want string
	}{
		{"none", []string{"plan", crd.Name, "--remove", "v1"}, 1, "UNKNOWN  carry managedFields over to v2"},
		{"none", []string{"retire", crd.Name, "v1", "--yes"}, 1, "remedy: ask for this right"},
		{"none", []string{"status", crd.Name}, 0, "the writers of puppets.puppet.example.com cannot be read: "},
		{"reader", []string{"plan", crd.Name, "--remove", "v1"}, 0, "8  READY    remove v1"},
		{"reader", []string{"retire", crd.Name, "v1", "--yes"}, 2, `User "reader" cannot update resource "customresourcedefinitions"`},
	} {
		code, output := run(t, binary, as(test.user), test.args...)
		if code != test.code || !strings.Contains(output, test.want) {
			t.Errorf("crosswalk %q by %s ended with %d", test.args, test.user, code)
		}
	}
	if now := d.get(t, crd.Name); now.ResourceVersion != before.ResourceVersion {
		t.Error("the definition was changed")
	}

	// The right to change definitions does not suffice if objects have to be written.
	puppet := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "puppet.example.com/v2", "kind": "Puppet", "metadata": map[string]any{"name": "one"}, "spec": map[string]any{"a": "b"},
	}}
	stale, err := at.Create(deadline(t), puppet, metav1.CreateOptions{FieldManager: "old"})
	must(t, err)
	entries := stale.GetManagedFields()
	entries[0].APIVersion = "puppet.example.com/v1"
	stale.SetManagedFields(entries)
	_, err = at.Update(deadline(t), stale, metav1.UpdateOptions{})
	must(t, err)
	code, output := run(t, binary, as("owner"), "retire", crd.Name, "v1", "--yes")
	if code != 2 || !strings.Contains(output, `User "owner" cannot patch resource "puppets"`) || !strings.Contains(output, "run the command again to go on") {
		t.Errorf("retire ended with %d", code)
	}
	if now := d.get(t, crd.Name); len(now.Spec.Versions) != 2 {
		t.Error("v1 was removed")
	}
	tool(t, binary, as("admin"), "retire", crd.Name, "v1", "--yes")
}
