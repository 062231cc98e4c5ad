package generate

import (
	"maps"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
)

// maxPatterns bounds the compiled patterns of a schema.
const maxPatterns = 10_000

// source is the schema of a version, and what is known of its values: objects are made of it.
type source struct {
	version  *apiserver.Version
	root     *node
	keysAt   map[*node][]string // of maps in given objects
	patterns map[string]*pattern
	words    []string
	decks    map[*node][]int // of wide.nextText
	labels   []string        // that modules read
	notes    []string        // annotations that modules read
}

func newSource(v *apiserver.Version) *source {
	return &source{version: v, root: compile(v.Schema), keysAt: map[*node][]string{}, patterns: map[string]*pattern{}, decks: map[*node][]int{}}
}

// pattern returns a compiled pattern; nil if it does not compile, or if there are too many.
func (s *source) pattern(text string) *pattern {
	p, known := s.patterns[text]
	if !known && len(s.patterns) < maxPatterns {
		p = newPattern(text)
		s.patterns[text] = p
	}
	return p
}

// LearnVersion adds the names of another version's fields where this version keeps fields that its schema
// does not name: users write those that they know.
func (s *source) LearnVersion(other *schema.Structural) { s.root.learnNames(other) }

func (n *node) learnNames(other *schema.Structural) {
	if other == nil || n.meta {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(other.Properties)) {
		property := other.Properties[name]
		if f := n.byName[name]; f != nil {
			f.learnNames(&property)
		} else if n.up != nil && n.s.XPreserveUnknownFields && !slices.Contains(n.others, name) {
			n.others = append(n.others, name)
		}
	}
	if n.items != nil {
		n.items.learnNames(other.Items)
	}
	if values := other.AdditionalProperties; n.values != nil && values != nil {
		n.values.learnNames(values.Structural)
	}
}

// LearnMetadata adds labels and annotations that modules read. Users write any text there.
func (s *source) LearnMetadata(labels, annotations []string) {
	s.labels, s.notes = append(s.labels, labels...), append(s.notes, annotations...)
}

// learn remembers the values and the keys of an object that was given.
func (s *source) learn(n *node, value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if f := n.byName[key]; f != nil {
				s.learn(f, v[key])
			} else if n.values != nil {
				s.learn(n.values, v[key])
				if known := s.keysAt[n]; len(known) < maxWords && !slices.Contains(known, key) {
					s.keysAt[n] = append(known, key)
				}
			}
		}
	case []any:
		if n.items != nil {
			for _, child := range v {
				s.learn(n.items, child)
			}
		}
	case nil:
	default:
		if !slices.Contains(n.words, value) {
			n.know(value)
		}
	}
}
