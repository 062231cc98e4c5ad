package prove

import (
	"fmt"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
)

// pair is two neighbouring versions of a file, and the decision about them. Nothing else of it
// changes.
type pair struct {
	decision
	group    string
	versions [2]string
	schemas  sides
	rules    []placed            // between them
	shared   []path              // objects that the file says both versions have
	noted    [2][]fieldpath.Path // empty objects that the module remembers, by the version that has them
	cleaned  [2][]fieldpath.Path // objects that the module deletes if they are empty afterwards
	losses   []syntax.Accepted
	chain    chain // the rest of the file
	steps    int   // pairs of versions of the file, but not of twins
	twins    bool  // the file has twins
	pointers int   // more than the bytes of all pointers that a kept value depends on
}

// pairOf returns a pair of a file. It is not ok if the definition lacks one of its versions.
func pairOf(f *rules.File, d *apiserver.Definition, own int, without condition) (p *pair, ok bool) {
	changing, s := changingPairs(f, d), f.Statements()[own]
	p = &pair{decision: decision{without: without}, group: f.Group, versions: [2]string{s.From, s.To}, losses: f.Accepted(), steps: max(len(changing), 1), twins: len(changing) < len(f.Statements())}
	a, b := d.Version(s.From), d.Version(s.To)
	for i, v := range []*apiserver.Version{a, b} {
		p.need(place, v != nil, 0, nil, "the definition has no version %s", p.versions[i])
	}
	if a == nil || b == nil {
		return p, false
	}
	p.schemas = sides{a.Schema, b.Schema}
	for _, q := range s.Shared {
		p.shared = append(p.shared, q)
	}
	p.rules, p.noted, p.cleaned = expand(s.Rules, nil), s.Noted, s.Cleaned
	p.chain = chainOf(f.Statements(), changing, own, d)
	for _, other := range f.Statements() { // a value that is kept on the way to a third version depends on its fields
		p.pointers += pointersOf(other.Rules, 0)
	}
	return p, true
}

// changingPairs returns the indexes of the pairs of versions that are not twins.
func changingPairs(f *rules.File, d *apiserver.Definition) (changing []int) {
	for i, s := range f.Statements() {
		if !twins(s, d) {
			changing = append(changing, i)
		}
	}
	return changing
}

// accepted decides about values of a version that the rule refuses: the file accepts the refusal, and
// the proof states it. at is where they are in the object.
func (p *pair) accepted(line, side int, at path, values string) {
	p.need(direct, !p.twins, line, at, "%s is refused also in a version with the same schema, and lossy accepts it for one", values)
	for _, a := range p.losses {
		if a.From == p.versions[side] && a.To == p.versions[1-side] && covers(a.Path, at.String()) {
			text := fmt.Sprintf("%s is refused in %s, as lossy accepts at line %d", values, p.versions[1-side], a.Line)
			p.limitOf(Limit{Limit: refused, Line: line, Path: at.String(), Text: text, accepts: a})
			return
		}
	}
	p.need(accepted, false, line, at, "%s is refused in %s: accept that in lossy, as {from: %s, to: %s, path: %q, reason: ...}", values, p.versions[1-side], p.versions[side], p.versions[1-side], at.String())
}

// covers reports whether the path of an accepted loss is a path, or ends with .* and leads to it.
func covers(accepted, at string) bool {
	above, below := strings.CutSuffix(accepted, ".*")
	return accepted == at || below && (strings.HasPrefix(at, above+".") || strings.HasPrefix(at, above+"["))
}
