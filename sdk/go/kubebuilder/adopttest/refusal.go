package adopttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// compareRefusal compares a module's refusal with the result of the operator's code, which may be a
// refusal, too. It returns "" if they agree, and otherwise the operator's result as a text.
func compareRefusal(o object, refusal string) (want string) {
	switch {
	case o.refusal == "" && strings.Contains(refusal, "its answer has an invalid metadata.") && !validMetadata(o.wants[0]):
		return "" // random text became a label: an API server would refuse the operator's result, too
	case o.refusal == "":
		return shown(o.wants[0])
	case strings.HasPrefix(o.refusal, decoding), strings.HasPrefix(o.refusal, answerRefused): // the module has words of its own for these
		return ""
	case strings.Contains(refusal, ": "+strings.TrimSpace(o.refusal)+" [refused by module "): // a gateway trims it, too
		return ""
	}
	return "refused: " + o.refusal
}

// answerRefused begins the text of a refusal by the API server, of an answer that the operator's webhook
// gives.
const answerRefused = "an API server refuses the webhook's answer: "

// identity is the metadata that a webhook must return as it was.
type identity struct {
	APIVersion, Kind string
	Metadata         struct{ Name, Namespace, UID string }
}

// checkIdentity returns an API server's error for a result whose name, namespace or uid is not that of
// the object, or that is not of the version. A gateway restores them, and would serve what the operator's
// webhook fails.
func (c *comparison) checkIdentity(text, result []byte, to Version) error {
	var was, is identity
	if err := errors.Join(json.Unmarshal(text, &was), json.Unmarshal(result, &is)); err != nil {
		return fmt.Errorf(answerRefused+"its metadata cannot be read: %w", err)
	}
	if c.kind.TypeMeta {
		was.APIVersion = to.apiVersion
	} else {
		was.APIVersion, was.Kind = is.APIVersion, is.Kind
	}
	for _, member := range []struct{ name, was, is string }{
		{"groupVersion", was.APIVersion, is.APIVersion},
		{"kind", was.Kind, is.Kind},
		{"name", was.Metadata.Name, is.Metadata.Name},
		{"namespace", was.Metadata.Namespace, is.Metadata.Namespace},
		{"UID", was.Metadata.UID, is.Metadata.UID},
	} {
		if member.was != member.is {
			return fmt.Errorf(answerRefused+"must have the same %s: %s != %q", member.name, member.was, member.is)
		}
	}
	return nil
}

var (
	labelValue = regexp.MustCompile(`^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$`)
	plainKey   = regexp.MustCompile(`^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`)
)

// validMetadata reports whether an API server takes the labels and annotations of a normalized
// result. A result that it wrongly takes for valid is reported as a difference.
func validMetadata(result any) bool {
	o, _ := result.(map[string]any)
	for _, name := range []string{"labels", "annotations"} {
		all, _ := o["metadata."+name].(map[string]any)
		for key, value := range all {
			text, ok := value.(string)
			if !ok || !plainKey.MatchString(key) && !qualifiedName.MatchString(key) || name == "labels" && !labelValue.MatchString(text) {
				return false
			}
		}
	}
	return true
}
