package propose

import (
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/propose/values"
)

// withdrawTexts withdraws the conversions of a text that may be anything: the module refuses most texts,
// although the generated objects may not have one. It reports whether there were some.
func (v *verifier) withdrawTexts() (some bool) {
	for _, pair := range v.p.Pairs {
		for _, r := range pair.Rules {
			if !r.Guess() || !strings.HasPrefix(r.Text, "convert: ") {
				continue
			}
			for side, version := range []string{pair.From, pair.To} {
				if s := values.SchemaAt(v.crd, version, r.Paths[side]); s != nil && anyText(s) {
					r.Withdraw(r.Paths[side] + " may be any text in " + version + ", and the module refuses one that it cannot convert")
					v.result.Withdrawn++
					some = true
					break
				}
			}
		}
	}
	return some
}

// anyText reports whether a schema of a text says nothing about its form.
func anyText(s *apiextensionsv1.JSONSchemaProps) bool {
	return s.Type == "string" && s.Pattern == "" && s.Format == "" && len(s.Enum)+len(s.XValidations)+len(s.AllOf)+len(s.AnyOf)+len(s.OneOf) == 0
}
