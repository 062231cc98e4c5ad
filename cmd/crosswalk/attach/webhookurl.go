package attach

import (
	"fmt"
	"net/url"
)

// CheckURL is nil if API servers take a URL for a webhook (ValidateWebhookURL of
// k8s.io/apiserver/pkg/util/webhook, whose package would link half an API server). The error begins with
// "must".
func CheckURL(text string) error {
	u, err := url.Parse(text)
	must := ""
	switch {
	case err != nil:
		return fmt.Errorf("must be a URL: %w", err)
	case u.Scheme != "https":
		must = "begin with https://"
	case u.Host == "":
		must = "have a host"
	case u.User != nil:
		must = "have no user and password, which API servers do not send to a webhook"
	case u.RawQuery != "":
		must = "have no query"
	case u.Fragment != "":
		must = "have no fragment"
	default:
		return nil
	}
	return fmt.Errorf("must %s, not %q", must, u.Redacted())
}
