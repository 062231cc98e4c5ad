package generate

import (
	"maps"
	"slices"

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
