package attach

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// lostVersion is the error of a request for objects that are stored in a version that the definition does
// not name. No client can read them, nor list others beside them.
type lostVersion struct {
	request string
	remedy  string
	cause   error
}

func (e *lostVersion) Error() string { return e.request + "; " + e.remedy }

func (e *lostVersion) Unwrap() error { return e.cause }

// fromInvalid matches the API server's words for an object of a version that the definition does not name.
var fromInvalid = regexp.MustCompile(`request to convert CR from an invalid group/version: \S+/([a-z0-9-]+)`)

// requested returns the error of a request for objects, with the remedy if they have a lost version. The
// definition may have got its webhook for other versions, so the remedy does not assume one.
func requested(crd *apiextensions.CustomResourceDefinition, err error, what string) error {
	request := fmt.Errorf("%s: %w", what, err)
	match := fromInvalid.FindStringSubmatch(err.Error())
	if match == nil {
		return request
	}
	attach := ""
	if !webhook(crd) {
		attach = "crosswalk attach " + crd.Name + ", then "
	}
	return &lostVersion{request.Error(), fmt.Sprintf("%[1]s does not name %[2]s, in which these objects are stored: %[3]sadd %[2]s to spec.versions again, with its schema and served: false, then crosswalk migrate-storage %[1]s",
		crd.Name, match[1], attach), err}
}

// evidence returns an error's text without its remedy, and the remedy.
func evidence(err error) (text, remedy string) {
	if lost := (*lostVersion)(nil); errors.As(err, &lost) {
		return lost.request, lost.remedy
	}
	return err.Error(), throughRemedy(err)
}

// webhookFailed recognizes the API server's words for a failed call of a conversion webhook.
func webhookFailed(text string) bool { return strings.Contains(text, "conversion webhook for ") }

// callFailed matches the API server's words for a conversion webhook that it could not call.
var callFailed = regexp.MustCompile(`conversion webhook for .* failed: (Post "|service "|no endpoints available )`)

// webhookDown recognizes them: the conversion of any other object would fail for the same reason.
func webhookDown(text string) bool { return callFailed.MatchString(text) }

// withRemedy adds the remedy for an error to it.
func withRemedy(err error) error {
	if remedy := throughRemedy(err); remedy != "" {
		return fmt.Errorf("%w: %s", err, remedy)
	}
	return err
}

// throughRemedy names the remedy for an error that only the API server gets.
func throughRemedy(err error) string {
	text := err.Error()
	switch {
	case Forbidden(err):
		return "ask for the right to read these objects"
	case !webhookFailed(text):
		return ""
	case strings.Contains(text, "no such host"):
		return "the API server does not find the Service: see whether it exists, and which name servers the control plane uses"
	case strings.Contains(text, "x509:"):
		return "correct caBundle or the certificate"
	case strings.Contains(text, "connection refused"), strings.Contains(text, "i/o timeout"), strings.Contains(text, "deadline exceeded"), strings.Contains(text, "no route to host"):
		return "if the gateway answers above, a firewall or NetworkPolicy is between the API server and the gateway's pods"
	case strings.Contains(text, "no endpoints available"):
		return "start the gateway"
	}
	return fmt.Sprintf("the text after %q is the webhook's own", "failed:")
}
