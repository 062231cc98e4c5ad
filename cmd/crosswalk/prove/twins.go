package prove

import (
	"reflect"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
)

// twins reports whether two versions have the same schema, and no rules between them. Each object of
// one is then an object of the other, with the same defaults and the same checks, and the step
// between them changes nothing and keeps nothing. The other pairs of the file therefore decide as if
// the twins were one version.
func twins(s rules.Statements, d *apiserver.Definition) bool {
	a, b := d.Version(s.From), d.Version(s.To)
	return len(s.Rules) == 0 && len(s.Shared) == 0 && a != nil && b != nil && reflect.DeepEqual(undescribed(a.Schema), undescribed(b.Schema))
}

// undescribed returns a copy of a schema without the texts that are for people.
func undescribed(s *schema.Structural) *schema.Structural {
	s = s.DeepCopy()
	visitor := schema.Visitor{Structural: func(s *schema.Structural) bool {
		changed := s.Description != "" || s.Title != ""
		s.Description, s.Title = "", ""
		return changed
	}}
	visitor.Visit(s)
	return s
}
