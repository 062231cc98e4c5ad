package attach

import apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

// Outcome says what Attach, Detach or Refresh did.
type Outcome struct {
	Target  string `json:"target"`
	Action  string `json:"action"` // one of the constants below
	Checks  Checks `json:"checks,omitempty"`
	Message string `json:"message,omitempty"` // more about the action
}

// The actions of an Outcome.
const (
	ActionNone       = "unchanged"
	ActionAttached   = "attached"
	ActionRefreshed  = "refreshed"
	ActionDetached   = "detached"
	ActionWould      = "would change"
	ActionRefused    = "refused"
	ActionRolledBack = "rolled back"
)

// describe says in words how a stanza changes.
func describe(before, after *apiextensions.CustomResourceConversion) string {
	return "spec.conversion was " + where(before) + " and is " + where(after)
}

// where says in words where a stanza leads.
func where(conversion *apiextensions.CustomResourceConversion) string {
	switch {
	case conversion == nil || conversion.Strategy != apiextensions.WebhookConverter:
		return "None"
	case conversion.Webhook == nil || conversion.Webhook.ClientConfig == nil:
		return "a webhook without a clientConfig"
	}
	client := conversion.Webhook.ClientConfig
	text := "a webhook"
	switch {
	case client.Service != nil:
		text = "Service " + client.Service.Namespace + "/" + client.Service.Name
	case client.URL != nil:
		text = *client.URL
	}
	if len(client.CABundle) == 0 {
		text += " (no caBundle)"
	}
	return text
}
