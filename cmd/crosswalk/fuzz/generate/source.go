package generate

import "github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"

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
