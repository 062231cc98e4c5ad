package propose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/propose/values"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/program"
	"github.com/crosswalk-gateway/crosswalk/host/schema"
)

// corresponding writes rules for pairs of fields of which one vanished and one appeared. It returns
// the others.
func (p *proposal) corresponding(gone []schema.Field, new *[]schema.Field) (rest []schema.Field) {
	if len(gone)+len(*new) > maxCompared {
		return gone
	}
	// The most similar fields first: those that remain are then fewer, and perhaps the only ones of their type.
	return p.pair(p.pair(p.pair(gone, new, elsewhere), new, onlyOne), new, 0)
}

// pair is corresponding for pairs whose likeness is more than above.
func (p *proposal) pair(gone []schema.Field, new *[]schema.Field, above int) (rest []schema.Field) {
	for i, f := range gone {
		best, score := -1, above
		left := append(slices.Clone(rest), gone[i:]...) // without those that have a counterpart
		for j, g := range *new {
			if s := p.likeness(f, g, left, *new); s > score {
				best, score = j, s
			}
		}
		if best < 0 {
			rest = append(rest, f)
			continue
		}
		g := (*new)[best]
		*new = slices.Delete(slices.Clone(*new), best, best+1)
		p.counterpart(f, g)
	}
	return rest
}

// counterpart writes the rule for a field that has another path in the other version.
func (p *proposal) counterpart(f, g schema.Field) {
	comment := fmt.Sprintf("%s is in %s only, and %s in %s only, with the same type: do they mean the same?", f.Path, p.From, g.Path, p.To)
	a, _ := fieldpath.Parse(f.Path)
	b, _ := fieldpath.Parse(g.Path)
	var r *Rule
	switch table := translation(f.Enum, g.Enum); {
	case f.Type != g.Type:
		r = p.guess(f, g, fmt.Sprintf("%s (%s) is in %s only, and %s (%s) in %s only", f.Path, f.Type, p.From, g.Path, g.Type, p.To), "convert: %s, to: %s, as: [%s]", quoted(f.Path), quoted(g.Path), values.TypesOf(a.Last(), b.Last()))
	case table != "":
		r = p.guess(f, g, comment, "translate: %s, to: %s, values: %s", quoted(f.Path), quoted(g.Path), table)
	case a.Parent().Equal(b.Parent()):
		r = p.guess(f, g, comment, "rename: %s, to: %s", quoted(f.Path), quoted(g.Path))
	default:
		r = p.guess(f, g, comment, "move: %s, to: %s", quoted(f.Path), quoted(g.Path))
	}
	if !a.Parent().Equal(b.Parent()) {
		r.shared = p.shared(a, b)
	}
	if why := p.unlike(f, g); why != "" {
		r.Withdraw(why)
	} else {
		p.inference.check(r, f, g)
	}
}

// offer adds rules that may be right instead of those that drop the fields.
func (p *proposal) offer(gone, new []schema.Field) {
	if len(gone)+len(new) > maxCompared {
		return
	}
	for _, f := range gone {
		var parts []string
		for _, g := range new {
			if f.Type == "a string" && g.Type == "a string" && !strings.ContainsAny(f.Path+g.Path, "*[") && parentOf(f.Path) == parentOf(g.Path) {
				parts = append(parts, g.Path)
			}
		}
		rivals := slices.ContainsFunc(gone, func(other schema.Field) bool {
			return other.Path != f.Path && other.Type == f.Type && parentOf(other.Path) == parentOf(f.Path)
		})
		switch {
		case rivals: // which of them is a guess
		case len(parts) > 1 && len(parts) <= program.MaxParts:
			p.Offers = append(p.Offers, fmt.Sprintf("instead of dropping these fields:\n- {split: %s, to: [%s], words: true} # or separator: \":\"", f.Path, strings.Join(parts, ", ")))
		case len(parts) == 1:
			p.Offers = append(p.Offers, fmt.Sprintf("instead of dropping both:\n- {rename: %s, to: %s}", f.Path, parts[0]))
		}
	}
}

func parentOf(text string) string { return text[:max(0, strings.LastIndexByte(text, '.'))] }
