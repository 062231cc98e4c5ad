package definition

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const (
	// maxRequest is the size of the largest request that an API server reads, in bytes of JSON.
	maxRequest = 3 << 20
	// maxReasons is how many reasons are reported: one mistake may show in each version.
	maxReasons = 20
	// maxReason is the size of a reason in bytes: some have the whole value, such as a schema.
	maxReason = 512
)

// Accepted returns an error with the reasons for which an API server rejects the definition.
func (d Definition) Accepted() error {
	if why := Rejected(d.CRD); len(why) > 0 {
		return fmt.Errorf("the API server rejects the definition: %s", strings.Join(why, "; "))
	}
	return nil
}

// Rejected returns the API server's reasons to reject the creation of a definition, found with the
// server's own code. A definition with a status is one that a server accepted, perhaps an older one:
// it returns those to reject an update that changes nothing.
func Rejected(crd *apiextensionsv1.CustomResourceDefinition) []string {
	if len(crd.Status.StoredVersions) > 0 {
		return RejectedUpdate(crd, crd)
	}
	checked, err := internal(crd)
	if err != nil {
		return []string{err.Error()}
	}
	checked.Status = apiextensions.CustomResourceDefinitionStatus{StoredVersions: stored(checked)}
	return reasons(validation.ValidateCustomResourceDefinition(context.Background(), checked))
}

// RejectedUpdate returns the API server's reasons to reject the update of a definition that it serves
// and that stores objects.
func RejectedUpdate(old, new *apiextensionsv1.CustomResourceDefinition) []string {
	was, err := internal(old)
	if err != nil {
		return []string{"the old definition: " + err.Error()}
	}
	is, err := internal(new)
	if err != nil {
		return []string{err.Error()}
	}
	if len(was.Status.StoredVersions) == 0 {
		was.Status.StoredVersions = stored(was)
	}
	apiextensions.SetCRDCondition(was, apiextensions.CustomResourceDefinitionCondition{Type: apiextensions.Established, Status: apiextensions.ConditionTrue})
	is.Status = *was.Status.DeepCopy() // an update of the definition leaves the status
	was.ObjectMeta, is.ObjectMeta = metav1.ObjectMeta{Name: was.Name, Annotations: was.Annotations}, metav1.ObjectMeta{Name: is.Name, Annotations: is.Annotations}
	was.ResourceVersion, is.ResourceVersion = "1", "1"
	for _, v := range stored(is) {
		if !apiextensions.IsStoredVersion(is, v) {
			is.Status.StoredVersions = append(is.Status.StoredVersions, v)
		}
	}
	return reasons(validation.ValidateCustomResourceDefinitionUpdate(context.Background(), is, was))
}

// internal returns a definition with its defaults, in the form that the API server validates.
func internal(crd *apiextensionsv1.CustomResourceDefinition) (*apiextensions.CustomResourceDefinition, error) {
	copied, made := crd.DeepCopy(), &apiextensions.CustomResourceDefinition{}
	if text, err := json.Marshal(copied); err != nil {
		return nil, err
	} else if len(text) > maxRequest {
		return nil, fmt.Errorf("it has %d bytes of JSON, of at most %d in a request", len(text), maxRequest)
	}
	apiextensionsv1.SetObjectDefaults_CustomResourceDefinition(copied)
	err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(copied, made, nil)
	return made, err
}

// stored returns the version at which the server stores objects from now on, as a list.
func stored(crd *apiextensions.CustomResourceDefinition) []string {
	name, err := apiextensions.GetCRDStorageVersion(crd)
	if err != nil {
		return nil // the validation says so
	}
	return []string{name}
}

// reasons returns the messages of errors, each once.
func reasons(errs field.ErrorList) (list []string) {
	for _, e := range errs {
		text := e.Error()
		if len(text) > maxReason {
			short := *e // the reason is at the end
			short.BadValue = "…"
			text = short.Error()
		}
		if text = strings.ToValidUTF8(text[:min(len(text), maxReason)], ""); !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	if len(list) > maxReasons {
		list = append(list[:maxReasons], fmt.Sprintf("%d more reasons", len(list)-maxReasons))
	}
	return list
}
