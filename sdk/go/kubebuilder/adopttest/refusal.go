package adopttest

import (
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
	case strings.HasPrefix(o.refusal, decoding): // the module has words of its own for decoding
		return ""
	case strings.Contains(refusal, ": "+strings.TrimSpace(o.refusal)+" [refused by module "): // a gateway trims it, too
		return ""
	}
	return "refused: " + o.refusal
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
