package attach

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"math/big"
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

// TestStatusComparesTheCA: a sync that writes another caBundle leaves the gateway's name in the stanza, and
// all conversions fail.
func TestStatusComparesTheCA(t *testing.T) {
	authority := func() string {
		_, key, err := ed25519.GenerateKey(nil)
		if err != nil {
			t.Fatal(err)
		}
		template := &x509.Certificate{SerialNumber: big.NewInt(1)}
		certificate, err := x509.CreateCertificate(nil, template, template, key.Public(), key)
		if err != nil {
			t.Fatal(err)
		}
		return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}))
	}
	ca, other := authority(), authority()
	for _, c := range []struct {
		name         string
		gateway, has string
		want         []string
	}{
		{"the CA", ca, ca, nil},
		{"one of two", ca, other + ca, nil},
		{"one of the gateway's two", other + ca, ca, nil},
		{"another", ca, other, []string{"caBundle: it lacks the CA of the gateway"}},
		{"unknown", "", other, nil},
		{"the system's", ca, "", []string{"caBundle: it lacks the CA of the gateway"}},
		{"none", ca, "none", []string{"caBundle: it contains no certificate in PEM"}},
	} {
		crd := &apiextensions.CustomResourceDefinition{}
		g := Gateway{Namespace: "n", Name: "crosswalk", Port: 443, CA: []byte(c.has)}
		crd.Spec.Conversion = g.Stanza()
		g.CA = []byte(c.gateway)
		if row := g.row(t.Context(), crd, nil); row.State != StateAttached || !slices.Equal(row.Defects, c.want) {
			t.Errorf("%s: %s, %q, want %q", c.name, row.State, row.Defects, c.want)
		}
	}
}
