package attach

import (
	"slices"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// TestDefects: a caBundle that API servers cannot use is named also where the API server established the
// definition, as those before 1.31 do.
func TestDefects(t *testing.T) {
	condition := func(status apiextensions.ConditionStatus) []apiextensions.CustomResourceDefinitionCondition {
		return []apiextensions.CustomResourceDefinitionCondition{{Type: apiextensions.Established, Status: status, Message: "the names are taken"}}
	}
	for _, c := range []struct {
		name       string
		conditions []apiextensions.CustomResourceDefinitionCondition
		strategy   apiextensions.ConversionStrategyType
		bundle     string
		want       []string
	}{
		{"established", condition(apiextensions.ConditionTrue), apiextensions.WebhookConverter, "", nil},
		{"no conditions yet", nil, apiextensions.WebhookConverter, "", nil},
		{"not established", condition(apiextensions.ConditionFalse), apiextensions.WebhookConverter, "", []string{"not established: the names are taken"}},
		{"a placeholder", condition(apiextensions.ConditionTrue), apiextensions.WebhookConverter, "\n", []string{"caBundle: it contains no certificate in PEM"}},
		{"both", condition(apiextensions.ConditionFalse), apiextensions.WebhookConverter, "none", []string{"not established: the names are taken", "caBundle: it contains no certificate in PEM"}},
		{"a bundle that nothing uses", condition(apiextensions.ConditionTrue), apiextensions.NoneConverter, "none", nil},
	} {
		crd := &apiextensions.CustomResourceDefinition{Status: apiextensions.CustomResourceDefinitionStatus{Conditions: c.conditions}}
		crd.Spec.Conversion = &apiextensions.CustomResourceConversion{
			Strategy: c.strategy,
			Webhook:  &apiextensions.WebhookConversion{ClientConfig: &apiextensions.WebhookClientConfig{CABundle: []byte(c.bundle)}},
		}
		if got := defects(crd); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
