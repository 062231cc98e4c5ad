package propose

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/host/schema"
)

// references writes rules for a name in one version that is the member name of an object in the other,
// as class and classRef.name: the fields beside it that begin with it become the other members, as
// classNamespace and classRef.namespace. It returns the fields that have no rule.
func (p *proposal) references(gone, new []schema.Field) (restGone, restNew []schema.Field) {
	if len(gone)+len(new) > maxCompared {
		return gone, new
	}
	gone, new = p.referencesFrom(0, gone, new)
	new, gone = p.referencesFrom(1, new, gone)
	return gone, new
}

// referencesFrom does so for names of a side, here, and objects of the other one, there.
func (p *proposal) referencesFrom(side int, here, there []schema.Field) (restHere, restThere []schema.Field) {
	for _, object := range there {
		members := membersOf([2]*fieldSet{p.b, p.a}[side], object)
		i := slices.IndexFunc(here, func(f schema.Field) bool {
			a, errA := fieldpath.Parse(f.Path)
			b, errB := fieldpath.Parse(object.Path)
			return errA == nil && errB == nil && object.Type == "an object" && a.Parent().Equal(b.Parent()) && !fieldpath.IsEvery(a.Last()) && !fieldpath.IsEvery(b.Last()) &&
				strings.HasPrefix(b.Last(), a.Last()) && members["name"].Type != "" && members["name"].Type == f.Type
		})
		if i < 0 {
			restThere = append(restThere, object)
			continue
		}
		name := here[i]
		here = slices.Delete(slices.Clone(here), i, i+1)
		comment := fmt.Sprintf("%s is in %s only, and %s is an object with a name in %s", name.Path, [2]string{p.From, p.To}[side], object.Path, [2]string{p.To, p.From}[side])
		r := p.rule(pathsOf(side, name.Path, object.Path), comment, "%s", moveText(side, name.Path, members["name"].Path))
		r.instead = []*Rule{p.dropped(name, side), p.dropped(object, 1-side)}
		if side == 0 {
			p.inference.check(r, name, members["name"])
		} else {
			p.inference.check(r, members["name"], name)
		}
		for _, key := range slices.Sorted(maps.Keys(members)) {
			member := members[key]
			j := slices.IndexFunc(here, func(f schema.Field) bool {
				return f.Path == name.Path+strings.ToUpper(key[:1])+key[1:] && f.Type == member.Type
			})
			switch {
			case key == "name":
			case j >= 0:
				r.with = append(r.with, &Rule{Paths: pathsOf(side, here[j].Path, member.Path), Reason: "the same for its member " + key, Text: moveText(side, here[j].Path, member.Path)})
				r.instead = append(r.instead, p.dropped(here[j], side))
				here = slices.Delete(slices.Clone(here), j, j+1)
			default:
				r.with = append(r.with, p.dropped(member, 1-side))
			}
		}
	}
	return here, restThere
}

// membersOf returns the fields of an object by their names.
func membersOf(s *fieldSet, object schema.Field) map[string]schema.Field {
	members := map[string]schema.Field{}
	for rest, f := range s.below(object.Path) {
		if name, ok := strings.CutPrefix(rest, "."); ok && name != "" && !strings.ContainsAny(name, ".[*") {
			members[name] = f
		}
	}
	return members
}

// pathsOf returns the paths of a field of a side and of one of the other side, in the order of sides.
func pathsOf(side int, here, there string) [2]string {
	if side == 1 {
		here, there = there, here
	}
	return [2]string{here, there}
}

func moveText(side int, here, there string) string {
	p := pathsOf(side, here, there)
	return fmt.Sprintf("move: %s, to: %s", quoted(p[0]), quoted(p[1]))
}
