package attach

import (
	"context"
	"encoding/pem"
	"slices"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// Row is the state of one CustomResourceDefinition in a list.
type Row struct {
	Name     string                                  `json:"name"`
	Kind     string                                  `json:"kind"`
	Served   []string                                `json:"served"`
	Stored   []string                                `json:"stored"`
	State    string                                  `json:"state"`              // one of the constants below
	Where    string                                  `json:"where"`              // the webhook, in words
	Defects  []string                                `json:"defects,omitempty"`  // why API servers do not serve the definition as they should
	Enforced []string                                `json:"enforced,omitempty"` // versions to which an object must convert to be written
	Managers []string                                `json:"managers,omitempty"` // other owners of spec.conversion
	Writers  []Writer                                `json:"writers,omitempty"`  // of the objects; of named definitions only
	Note     string                                  `json:"note,omitempty"`     // what can happen to objects with managers at several versions
	Unread   string                                  `json:"unread,omitempty"`   // why the writers could not be read
	CRD      *apiextensions.CustomResourceDefinition `json:"-"`
}

// The states of a Row.
const (
	StateAttached    = "attached"    // the stanza names the gateway, or a URL that this tool wrote
	StateOther       = "other"       // the stanza names another webhook
	StateUnconverted = "unconverted" // several versions are in use, and nothing converts them
	StateOneSchema   = "one schema"  // several versions are in use, and need no conversion
	StateOneVersion  = "one version" // nothing is to be converted
)

// Enforcement fills in Enforced, where the API server has the policies and the user may list them.
func (c *enforcer) Enforcement(ctx context.Context, rows []Row) error {
	versions, err := c.enforced(ctx)
	if apierrors.IsNotFound(err) || Forbidden(err) {
		return nil
	}
	for i := range rows {
		rows[i].Enforced = versions[rows[i].Name]
	}
	return err
}

// List returns a row for each CustomResourceDefinition that has several used versions or a webhook,
// sorted by name.
func (c *Cluster) List(ctx context.Context, g Gateway) ([]Row, error) {
	rows := []Row{}
	err := c.eachCRD(ctx, func(crd *apiextensions.CustomResourceDefinition) bool {
		if row := g.row(ctx, crd, crd.ManagedFields); row.State != StateOneVersion {
			rows = append(rows, row)
		}
		return ctx.Err() == nil
	})
	slices.SortFunc(rows, func(a, b Row) int { return strings.Compare(a.Name, b.Name) })
	return rows, err
}

// Rows returns the rows of one target.
func (g Gateway) Rows(ctx context.Context, t *Target) []Row {
	var rows []Row
	for _, crd := range t.Definitions {
		row := g.row(ctx, crd, t.object.GetManagedFields())
		row.Managers = t.Owners()
		rows = append(rows, row)
	}
	return rows
}

func (g Gateway) row(ctx context.Context, crd *apiextensions.CustomResourceDefinition, entries []metav1.ManagedFieldsEntry) Row {
	row := Row{Name: crd.Name, Kind: label(crd), Served: served(crd), Stored: stored(crd), Where: where(crd.Spec.Conversion), CRD: crd}
	row.Defects = defects(crd)
	switch {
	case g.Serves(crd.Spec.Conversion):
		row.State = StateAttached
		if len(row.Defects) == 0 && !g.trusted(crd.Spec.Conversion.Webhook.ClientConfig.CABundle) {
			row.Defects = []string{"caBundle: it lacks the CA of the gateway"}
		}
	case g.URL == "" && slices.Contains(ownersOf(entries, "f:conversion", "f:webhook", "f:clientConfig", "f:url"), Manager):
		row.State = StateAttached // with attach --url
	case webhook(crd):
		row.State = StateOther
	case needed(ctx, crd) != "":
		row.State = StateUnconverted
	case len(used(crd)) > 1:
		row.State = StateOneSchema
	default:
		row.State = StateOneVersion
	}
	return row
}

// trusted reports whether a caBundle has a certificate of the gateway's CA, where that is known.
func (g Gateway) trusted(bundle []byte) bool {
	all := map[string]bool{}
	for block, rest := pem.Decode(bundle); block != nil; block, rest = pem.Decode(rest) {
		all[string(block.Bytes)] = true
	}
	for block, rest := pem.Decode(g.CA); block != nil; block, rest = pem.Decode(rest) {
		if all[string(block.Bytes)] {
			return true
		}
	}
	return len(g.CA) == 0
}

// defects says why API servers do not serve a definition as they should. Those before 1.31 establish a
// definition whose caBundle they cannot use, so the condition alone does not show it.
func defects(crd *apiextensions.CustomResourceDefinition) []string {
	var texts []string
	for _, condition := range crd.Status.Conditions {
		if condition.Type == apiextensions.Established && condition.Status == apiextensions.ConditionFalse {
			texts = append(texts, "not established: "+foreign.Clean(condition.Message, maxText))
		}
	}
	if c := crd.Spec.Conversion; webhook(crd) && c.Webhook != nil && c.Webhook.ClientConfig != nil {
		if _, err := pool(c.Webhook.ClientConfig.CABundle); err != nil {
			texts = append(texts, "caBundle: "+err.Error())
		}
	}
	return texts
}
