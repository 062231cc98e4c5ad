package propose

import (
	"fmt"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/plural"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/propose/values"
	"github.com/crosswalk-gateway/crosswalk/host/schema"
)

// splits writes rules for texts of the older version of which fields of the newer one have the parts:
// beside them, or in an object that takes the place of the text.
func (p *inference) splits(gone, changed []schema.Field, new []*values.Field) {
	for _, f := range changed {
		if g := p.b.find(f.Path); f.Type == "a string" && g != nil && g.Type == "an object" && !p.takenAt(0, f.Path) {
			var members []*values.Field
			for rest, member := range p.b.below(f.Path) {
				if member.Type != "a string" || strings.ContainsAny(rest[1:], ".[*") {
					members = nil
					break
				}
				members = append(members, p.compared.NewField(1, member))
			}
			if parts := p.split(f, members, true); parts != nil && len(parts.Parts) == len(members) {
				p.parted(f, *g, parts)
			}
		}
	}
	for _, f := range gone {
		if f.Type != "a string" || p.takenAt(0, f.Path) || strings.ContainsAny(f.Path, "[*") {
			continue
		}
		var beside []*values.Field
		for _, g := range new {
			if g.Type == "a string" && parentOf(g.Path) == parentOf(f.Path) && !p.takenAt(1, g.Path) {
				beside = append(beside, g)
			}
		}
		if parts := p.split(f, beside, false); parts != nil {
			p.parted(f, schema.Field{}, parts)
		}
	}
}

func (p *inference) split(f schema.Field, parts []*values.Field, mayLack bool) *values.Parted {
	if len(parts) < 2 || strings.ContainsAny(f.Path, "[*") {
		return nil
	}
	return values.Split(p.compared, p.compared.NewField(0, f), parts, mayLack)
}

// parted writes the rule for a text and its parts; object is the one that takes its place, if any.
func (p *inference) parted(f, object schema.Field, parts *values.Parted) {
	p.taken[0][f.Path] = true
	var paths []string
	var fields []schema.Field
	for _, part := range parts.Parts {
		fields = append(fields, part.Field)
		p.taken[1][part.Path] = true
		paths = append(paths, quoted(part.Path))
	}
	how := map[bool]string{true: scheduled, false: fmt.Sprintf("separator: %q", parts.Separator)}[parts.Separator == " "]
	if known := ordered(fields); parts.Separator == ":" && known != "" && known != scheduled && fields[0].Path == parts.Parts[0].Path {
		how = known
	}
	if parts.Absent != "" {
		how += fmt.Sprintf(", absent: %q", parts.Absent)
	}
	how += ", unfit: stash"
	r := p.rule([2]string{f.Path, object.Path}, fmt.Sprintf("%s is split into %d fields in %s: %s", f.Path, len(paths), plural.Count(parts.Objects, "object"), parts.First), "split: %s, to: [%s], %s", quoted(f.Path), strings.Join(paths, ", "), how)
	r.shown, r.instead = true, []*Rule{p.dropped(f, 0)}
	if object.Path != "" {
		r.instead = append(r.instead, p.dropped(object, 1))
		return
	}
	for _, part := range parts.Parts {
		r.instead = append(r.instead, p.dropped(part.Field, 1))
	}
}
