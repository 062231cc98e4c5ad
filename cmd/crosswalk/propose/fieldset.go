package propose

import (
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/host/schema"
)

const (
	// proposeDepth is the number of levels of the schemas to compare: twice the deepest known ones.
	proposeDepth = 32
	// proposeFields is the number of fields of a version to compare: the largest known definition,
	// AlertmanagerConfig, has 9,000.
	proposeFields = 20_000
)

// fieldSet is the fields of a version, by path without the leading dot.
type fieldSet struct {
	list []schema.Field
	at   map[string]int
}

func (s *fieldSet) find(path string) *schema.Field {
	if i, ok := s.at[path]; ok {
		return &s.list[i]
	}
	return nil
}

// below returns the fields within another one, by their paths from there.
func (s *fieldSet) below(path string) map[string]schema.Field {
	found := map[string]schema.Field{}
	for i := s.at[path] + 1; i > 0 && i < len(s.list); i++ { // a field comes before those in it
		rest, ok := strings.CutPrefix(s.list[i].Path, path)
		if !ok || rest[0] != '.' && rest[0] != '[' {
			break
		}
		found[rest] = s.list[i]
	}
	return found
}

// fieldsOf returns the fields of a version, and the number of those that cannot be compared.
func fieldsOf(crd *schema.CRD, version string) (s *fieldSet, more int) {
	s = &fieldSet{at: map[string]int{}}
	for i := range crd.Versions {
		if v := &crd.Versions[i]; v.Name == version {
			s.list, more = v.FieldsUpTo(proposeDepth, proposeFields)
		}
	}
	for i := range s.list {
		f := &s.list[i]
		f.Path = strings.TrimPrefix(f.Path, ".")
		if p, err := fieldpath.Parse(f.Path); err != nil || p.String() != f.Path {
			more++ // its name has a dot, for example
		}
		if _, twice := s.at[f.Path]; !twice {
			s.at[f.Path] = i
		}
	}
	return s, more
}
