package compat

import (
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
)

// served is a definition as an API server has it.
const served = `{"metadata": {"name": "things.example.com"}, "spec": {"group": "example.com", "scope": "Namespaced",
"names": {"kind": "Thing", "plural": "things", "singular": "thing", "listKind": "ThingList"},
"versions": [
 {"name": "v1beta1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}}}}},
 {"name": "v1", "served": true, "storage": false, "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": {
  "size": {"type": "integer"}, "items": {"type": "array", "items": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}}}}}}}}],
"conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": {"service": {"name": "s", "namespace": "n", "path": "/convert"}}}}},
"status": {"storedVersions": ["v1beta1"]}}`

// TestRejectedByTheAPIServer changes a definition in ways that an API server refuses, of which many break
// nothing else: its reason is the first change.
func TestRejectedByTheAPIServer(t *testing.T) {
	edit := func(c *crd, change func(spec *props)) {
		all := c.Spec.Versions[1].Schema.OpenAPIV3Schema.Properties
		spec := all["spec"]
		change(&spec)
		all["spec"] = spec
	}
	rule := func(text string) func(*props) {
		return func(s *props) { s.XValidations = apiextensionsv1.ValidationRules{{Rule: text}} }
	}
	client := func(c *crd) *apiextensionsv1.WebhookClientConfig { return c.Spec.Conversion.Webhook.ClientConfig }
	url := func(c *crd, text string) { client(c).URL = &text }
	const whole, update = "the API server rejects the definition: ", "the API server rejects the update: "
	for _, c := range []struct {
		name   string
		change func(new *crd)
		want   []string // how the reasons begin
	}{
		{"nothing", func(*crd) {}, nil},
		{"no version is served", func(c *crd) { c.Spec.Versions[0].Served, c.Spec.Versions[1].Served = false, false }, nil},
		{"scale of no field", func(c *crd) {
			c.Spec.Versions[1].Subresources = parsed[subresources](t, `{"scale":{"specReplicasPath":".spec.nosuch","statusReplicasPath":".status.replicas"}}`)
		}, nil},
		{"two versions stored", func(c *crd) { c.Spec.Versions[1].Storage = true }, []string{whole + "spec.versions: Invalid value: ", whole + "status.storedVersions: Invalid value: "}},
		{"no version stored", func(c *crd) { c.Spec.Versions[0].Storage = false }, []string{whole + "spec.versions: Invalid value: ", whole + "status.storedVersions: Invalid value: "}},
		{"stored version gone", func(c *crd) { c.Spec.Versions = c.Spec.Versions[1:]; c.Spec.Versions[0].Storage = true }, []string{update + `status.storedVersions[0]: Invalid value: "v1beta1": missing from spec.versions; v1beta1 was previously a storage version`}},
		{"stored version and conversion gone", func(c *crd) {
			c.Spec.Conversion, c.Spec.Versions = nil, c.Spec.Versions[1:]
			c.Spec.Versions[0].Storage = true
		}, []string{update + `status.storedVersions[0]: Invalid value: "v1beta1": missing from spec.versions`}},
		{"not structural", func(c *crd) { edit(c, func(s *props) { s.Type = "" }) }, []string{whole + "spec.versions[1].schema.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields"}},
		{"default of another type", func(c *crd) {
			edit(c, func(s *props) {
				s.Properties["size"] = props{Type: "integer", Default: &apiextensionsv1.JSON{Raw: []byte(`"three"`)}}
			})
		}, []string{whole + `spec.versions[1].schema.openAPIV3Schema.properties[spec].properties[size].default: Invalid value: "string": `}},
		{"rule about no field", func(c *crd) { edit(c, rule("self.nosuch > 1")) }, []string{whole + "spec.versions[1].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Invalid value: "}},
		{"expensive rule", func(c *crd) {
			edit(c, rule("!has(self.items) || self.items.all(a, self.items.all(b, self.items.all(c, a.name == b.name || b.name == c.name)))"))
		}, []string{whole + "spec.versions[1].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget",
			whole + "spec.versions[1].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Forbidden: contributed to", whole + "spec.versions[1].schema.openAPIV3Schema: Forbidden: x-kubernetes-validations"}},
		{"no client", func(c *crd) { c.Spec.Conversion.Webhook.ClientConfig = nil }, []string{whole + "spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook"}},
		{"url and service", func(c *crd) { url(c, "https://x.example.com/convert") }, []string{whole + "spec.conversion.webhookClientConfig: Required value: exactly one of url or service is required"}},
		{"webhook of no strategy", func(c *crd) { c.Spec.Conversion.Strategy = "None" }, []string{whole + "spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook",
			whole + "spec.conversion.conversionReviewVersions: Forbidden: "}},
		{"url without TLS", func(c *crd) { client(c).Service = nil; url(c, "http://x.example.com/convert") }, []string{whole + `spec.conversion.webhookClientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme`}},
		{"caBundle without a certificate", func(c *crd) { client(c).CABundle = []byte("not a cert") }, []string{update + "spec.conversion.webhookClientConfig.caBundle: Invalid value: "}},
		{"unknown review version", func(c *crd) { c.Spec.Conversion.Webhook.ConversionReviewVersions = []string{"v1alpha1"} }, []string{whole + `spec.conversion.conversionReviewVersions: Invalid value: ["v1alpha1"]: must include at least one of v1, v1beta1`}},
		{"scope", func(c *crd) { c.Spec.Scope = "Cluster" }, []string{update + `spec.scope: Invalid value: "Cluster": field is immutable`}},
		{"key that may be absent", func(c *crd) {
			edit(c, func(s *props) {
				list, kind := s.Properties["items"], "map"
				list.XListType, list.XListMapKeys, list.Items.Schema.Required = &kind, []string{"name"}, nil
				s.Properties["items"] = list
			})
		}, []string{whole + "spec.versions[1].schema.openAPIV3Schema.properties[spec].properties[items].items.properties[name].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property"}},
		{"unknown fields preserved", func(c *crd) { c.Spec.PreserveUnknownFields = true }, []string{whole + `spec.conversion.strategy: Invalid value: "Webhook": must be None if spec.preserveUnknownFields is true`, whole + "spec.preserveUnknownFields: Invalid value: true: cannot set to true"}},
		{"kind", func(c *crd) { c.Spec.Names.Kind = "Other" }, []string{update + `spec.names.kind: Invalid value: "Other": field is immutable`}},
		{"version twice", func(c *crd) { c.Spec.Versions[1].Name = "v1beta1" }, []string{whole + "spec.versions: Invalid value: "}},
		{"no schema", func(c *crd) { c.Spec.Versions[1].Schema = nil }, []string{whole + "spec.versions[1].schema.openAPIV3Schema: Required value"}},
		{"no type", func(c *crd) { edit(c, func(s *props) { s.Properties["size"] = props{Type: "int"} }) }, []string{whole + `spec.versions[1].schema.openAPIV3Schema.properties[spec].properties[size].type: Unsupported value: "int"`}},
		{"name", func(c *crd) { c.Name = "thing.example.com" }, []string{whole + `metadata.name: Invalid value: "thing.example.com": must be spec.names.plural+"."+spec.group`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			old, new := parsed[crd](t, served), parsed[crd](t, served)
			c.change(new)
			new.Status = apiextensionsv1.CustomResourceDefinitionStatus{} // as in a repository
			changes, err := Definitions(t.Context(), []definition.Definition{{CRD: old}}, []definition.Definition{{CRD: new}})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, change := range changes {
				if change.Class == Rejected {
					got = append(got, change.Text)
				}
			}
			if !slices.EqualFunc(got, c.want, strings.HasPrefix) || len(got) > 0 && (changes[0].Class != Rejected || !changes[0].Breaks()) {
				t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

// TestAcceptedBefore compares a definition that an older API server accepted: the update of what it
// has is accepted, too, though not the creation.
func TestAcceptedBefore(t *testing.T) {
	old, new := parsed[crd](t, served), parsed[crd](t, served)
	for _, one := range []*crd{old, new} {
		one.Spec.PreserveUnknownFields, one.Spec.Conversion = true, nil
		one.Spec.Versions[1].Schema = one.Spec.Versions[0].Schema
	}
	changes, err := Definitions(t.Context(), []definition.Definition{{CRD: old}}, []definition.Definition{{CRD: new}})
	if err != nil || len(changes) > 0 {
		t.Errorf("%v %s", err, lines(changes))
	}
}
