package attach

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	admission "k8s.io/api/admissionregistration/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// The policies of a definition let no object in that does not convert. Each is for one version: to
// match a write at another version, the API server must convert the object to that version, and it
// refuses the write with the conversion's own message if that fails. The policies call nothing else
// and validate nothing.

var (
	policyResource  = schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicies"}
	bindingResource = schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicybindings"}
)

const (
	// policyLabel has the value "convertible" on these policies.
	policyLabel = "crosswalk-gateway.github.io/policy"
	policyValue = "convertible"
	// definitionAnnotation names the definition: a label cannot have so many characters.
	definitionAnnotation = "crosswalk-gateway.github.io/definition"
)

// policyName names the policy of a version, and its binding.
func policyName(crd *apiextensions.CustomResourceDefinition, version string) string {
	return "crosswalk-" + version + "." + crd.Name
}

// policies returns the policy for one version of a definition, and its binding. The API server
// deletes both with the definition.
func policies(crd *apiextensions.CustomResourceDefinition, version string) (*admission.ValidatingAdmissionPolicy, *admission.ValidatingAdmissionPolicyBinding) {
	meta := metav1.ObjectMeta{
		Name: policyName(crd, version), Labels: map[string]string{policyLabel: policyValue}, Annotations: map[string]string{definitionAnnotation: crd.Name},
		OwnerReferences: []metav1.OwnerReference{{APIVersion: crdResource.GroupVersion().String(), Kind: "CustomResourceDefinition", Name: crd.Name, UID: crd.UID}},
	}
	fail, equivalent, scope := admission.Fail, admission.Equivalent, admission.AllScopes
	policy := &admission.ValidatingAdmissionPolicy{ObjectMeta: meta, Spec: admission.ValidatingAdmissionPolicySpec{
		FailurePolicy: &fail,
		MatchConstraints: &admission.MatchResources{
			MatchPolicy: &equivalent,
			ResourceRules: []admission.NamedRuleWithOperations{{RuleWithOperations: admission.RuleWithOperations{
				Operations: []admission.OperationType{admission.Create, admission.Update},
				Rule: admission.Rule{
					APIGroups: []string{crd.Spec.Group}, APIVersions: []string{version},
					Resources: []string{crd.Spec.Names.Plural, crd.Spec.Names.Plural + "/status"}, Scope: &scope,
				},
			}}},
		},
		Validations: []admission.Validation{{Expression: "true"}},
	}}
	policy.SetGroupVersionKind(admission.SchemeGroupVersion.WithKind("ValidatingAdmissionPolicy"))
	binding := &admission.ValidatingAdmissionPolicyBinding{ObjectMeta: *meta.DeepCopy(), Spec: admission.ValidatingAdmissionPolicyBindingSpec{
		PolicyName: meta.Name, ValidationActions: []admission.ValidationAction{admission.Deny},
	}}
	binding.SetGroupVersionKind(admission.SchemeGroupVersion.WithKind("ValidatingAdmissionPolicyBinding"))
	return policy, binding
}

// enforcer lists, writes and deletes the admission policies of AttachConvertible.
type enforcer struct{ api dynamic.Interface }

// enforced returns the versions that have a policy and its binding, by the name of the definition.
func (c *enforcer) enforced(ctx context.Context) (map[string][]string, error) {
	bound, versions, err := c.written(ctx)
	for definition, all := range versions {
		versions[definition] = slices.DeleteFunc(all, func(v string) bool { return !slices.Contains(bound[definition], v) })
	}
	return versions, err
}

// written returns the versions that have a binding, and those that have a policy, by the name of the
// definition.
func (c *enforcer) written(ctx context.Context) (bindings, policies map[string][]string, err error) {
	if bindings, err = c.versions(ctx, bindingResource); err != nil {
		return nil, nil, fmt.Errorf("listing ValidatingAdmissionPolicyBindings: %w", err)
	}
	if policies, err = c.versions(ctx, policyResource); err != nil {
		return nil, nil, fmt.Errorf("listing ValidatingAdmissionPolicies: %w", err)
	}
	return bindings, policies, nil
}

// versions returns the versions of the policies or of the bindings, by the name of the definition.
func (c *enforcer) versions(ctx context.Context, resource schema.GroupVersionResource) (map[string][]string, error) {
	list, err := c.api.Resource(resource).List(ctx, metav1.ListOptions{LabelSelector: policyLabel + "=" + policyValue})
	if err != nil {
		return nil, err
	}
	versions := map[string][]string{}
	for _, p := range list.Items {
		definition := p.GetAnnotations()[definitionAnnotation]
		if version, found := strings.CutSuffix(strings.TrimPrefix(p.GetName(), "crosswalk-"), "."+definition); found {
			versions[definition] = append(versions[definition], version)
		}
	}
	return versions, nil
}

// withdraw deletes the policies that a definition had not before, also one without its binding.
func (c *enforcer) withdraw(ctx context.Context, t *Target, before map[string][]string) error {
	var all error
	for _, crd := range t.Definitions {
		for _, v := range served(crd) {
			if !slices.Contains(before[crd.Name], v) {
				all = errors.Join(all, c.deletePolicy(ctx, policyName(crd, v)))
			}
		}
	}
	return all
}

// inspection adds a check with the result of an inspection.
func (c *Checks) inspection(crd *apiextensions.CustomResourceDefinition, i *Inspection) {
	const name = "stored objects"
	if len(i.Bad) > 0 {
		c.fail(name, "correct the objects at the version in which they are stored, delete them, or correct the module; then run the command again", "%s: %s", label(crd), i)
		return
	}
	c.pass(name, "%s: %s", label(crd), i)
}

// enforce writes the policies of the served versions, and deletes those of others.
func (c *enforcer) enforce(ctx context.Context, t *Target, before map[string][]string, dryRun bool) (checks Checks, err error) {
	const name = "admission policies"
	for _, crd := range t.Definitions {
		for _, v := range served(crd) {
			policy, binding := policies(crd, v)
			if err := errors.Join(c.applyPolicy(ctx, policyResource, policy, dryRun), c.applyPolicy(ctx, bindingResource, binding, dryRun)); err != nil {
				return checks, err
			}
		}
		for _, v := range before[crd.Name] {
			if !slices.Contains(served(crd), v) && !dryRun {
				if err := c.deletePolicy(ctx, policyName(crd, v)); err != nil {
					return checks, err
				}
			}
		}
		words := "writes are refused unless"
		if dryRun {
			words = "writes would be refused unless"
		}
		checks.pass(name, "%s: %s the object converts to %s", label(crd), words, strings.Join(served(crd), ", "))
	}
	return checks, nil
}

// applyPolicy writes a policy or a binding as it is to be.
func (c *enforcer) applyPolicy(ctx context.Context, resource schema.GroupVersionResource, o metav1.Object, dryRun bool) error {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return err
	}
	delete(content, "status")
	options := metav1.ApplyOptions{FieldManager: Manager, Force: true}
	if dryRun {
		options.DryRun = []string{metav1.DryRunAll}
	}
	if _, err := c.api.Resource(resource).Apply(ctx, o.GetName(), &unstructured.Unstructured{Object: content}, options); err != nil {
		return fmt.Errorf("writing %s %s: %w", resource.Resource, o.GetName(), err)
	}
	return nil
}

// Unenforce deletes the policies of a target's definitions, if there are any.
func (c *enforcer) Unenforce(ctx context.Context, t *Target) error {
	return c.unenforceVersions(ctx, t, func(*apiextensions.CustomResourceDefinition, string) bool { return true })
}

// unenforceVersions deletes the policies of some versions, also those of which somebody deleted the
// binding to mend an object.
func (c *enforcer) unenforceVersions(ctx context.Context, t *Target, which func(*apiextensions.CustomResourceDefinition, string) bool) error {
	bindings, policies, err := c.written(ctx)
	if apierrors.IsNotFound(err) {
		return nil // the API server has no such policies
	} else if err != nil {
		return err
	}
	for _, crd := range t.Definitions {
		for _, v := range slices.Concat(bindings[crd.Name], policies[crd.Name]) {
			if !which(crd, v) {
				continue
			}
			if err := c.deletePolicy(ctx, policyName(crd, v)); err != nil {
				return err
			}
		}
	}
	return nil
}

// deletePolicy deletes a policy and its binding.
func (c *enforcer) deletePolicy(ctx context.Context, name string) error {
	for _, resource := range []schema.GroupVersionResource{bindingResource, policyResource} {
		err := c.api.Resource(resource).Delete(ctx, name, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("deleting %s %s: %w", resource.Resource, name, err)
		}
	}
	return nil
}
