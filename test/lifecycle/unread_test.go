package lifecycle

import (
	"slices"
	"strings"
	"testing"
	"time"

	core "k8s.io/api/core/v1"
	rbac "k8s.io/api/rbac/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// TestControllerUnreadDefinition: a definition that the controller cannot read, because it may not
// read an object that the definition is said to belong to, may have the previous CA still. So the
// next certificate is not used, and the copy of the definition stays.
func TestControllerUnreadDefinition(t *testing.T) {
	p, client := planeOfController(t)
	yes := true
	crd := puppets("v1", "v2")
	crd.Annotations = map[string]string{attach.Annotation: "true"}
	crd.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apiextensions.crossplane.io/v1", Kind: "CompositeResourceDefinition", Name: "unread", UID: "unread", Controller: &yes}}
	forbid(t, client, "compositeresourcedefinitions")
	definitions := newDefinitions(t, p).ApiextensionsV1().CustomResourceDefinitions()
	if _, err := definitions.Create(deadline(t), crd, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	copies := &core.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "crosswalk-definitions", Namespace: namespace},
		Data:       map[string]string{crd.Name + ".crd.yaml": "copy", "deleted.example.com.crd.yaml": "copy"},
	}
	if _, err := client.CoreV1().ConfigMaps(namespace).Create(deadline(t), copies, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	startController(t, p, "--keep-certificate")

	// The next certificate was made an hour ago, when all definitions trusted it.
	const since = "crosswalk-gateway.github.io/since"
	var secret *core.Secret
	eventually.Succeeds(t, "the first certificate", func() (err error) {
		if secret, err = client.CoreV1().Secrets(namespace).Get(deadline(t), "crosswalk-tls", metav1.GetOptions{}); err != nil {
			return err
		}
		secret.Data["next.crt"], secret.Data["next.key"] = secret.Data["tls.crt"], secret.Data["tls.key"]
		secret.Annotations = map[string]string{since: time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)}
		_, err = client.CoreV1().Secrets(namespace).Update(deadline(t), secret, metav1.UpdateOptions{})
		return err
	})

	eventually.Succeeds(t, "the copies", func() error {
		now, err := client.CoreV1().ConfigMaps(namespace).Get(deadline(t), copies.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		return errorf(now.ResourceVersion != copies.ResourceVersion && now.Data["deleted.example.com.crd.yaml"] == "", "a definition that was deleted has a copy: %v", now.Data)
	})
	now, err := client.CoreV1().ConfigMaps(namespace).Get(deadline(t), copies.Name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if now.Data[crd.Name+".crd.yaml"] != "copy" {
		t.Errorf("the copy is gone: %v", now.Data)
	}
	eventually.Succeeds(t, "the trust time's end", func() error {
		s, err := client.CoreV1().Secrets(namespace).Get(deadline(t), secret.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if s.Data["next.crt"] == nil {
			t.Fatalf("the next certificate is in use (%s)", strings.TrimSpace(s.Annotations[since]))
		}
		return errorf(s.Annotations[since] == "", "trusted since %s", s.Annotations[since])
	})

	// A definition that waits for its module does not use the gateway, and holds nothing up.
	waiting := puppets("v1", "v2")
	waiting.Name, waiting.Annotations = "giants.puppet.example.com", crd.Annotations
	waiting.Spec.Names = apiextensions.CustomResourceDefinitionNames{Kind: "Giant", ListKind: "GiantList", Plural: "giants", Singular: "giant"}
	if _, err := definitions.Create(deadline(t), waiting, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := definitions.Delete(deadline(t), crd.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually.Succeeds(t, "the trust of a definition that waits for its module", func() error {
		s, err := client.CoreV1().Secrets(namespace).Get(deadline(t), secret.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		return errorf(s.Annotations[since] != "", "the next certificate is held up")
	})
	if now, err := definitions.Get(deadline(t), waiting.Name, metav1.GetOptions{}); err != nil || !strings.HasPrefix(now.Annotations[attach.StatusAnnotation], "Refused: ") {
		t.Errorf("it has the status %q, %v", now.Annotations[attach.StatusAnnotation], err)
	}
}

// forbid takes the rights to a resource from the controller.
func forbid(t *testing.T, client *kubernetes.Clientset, resource string) {
	t.Helper()
	role, err := client.RbacV1().ClusterRoles().Get(deadline(t), "crosswalk-controller", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	role.Rules = slices.DeleteFunc(role.Rules, func(r rbac.PolicyRule) bool { return slices.Contains(r.Resources, resource) })
	if _, err := client.RbacV1().ClusterRoles().Update(deadline(t), role, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}
