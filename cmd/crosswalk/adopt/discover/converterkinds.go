package discover

import (
	"errors"
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

// kindsOfConverters returns the kinds that calls of NewSpokeConverter convert, if one of their
// versions is in a package that was named.
func kindsOfConverters(p *operator.Program) (kinds []Resource, err error) {
	calls, unknown, err := spokeConverters(p)
	if err != nil {
		return nil, err
	}
	versions := findVersions(p)
	byHub := map[*types.Named]*Resource{}
	where := map[direction]spokeConverter{}
	for _, c := range calls {
		if !p.Named[c.hub.Obj().Pkg().Path()] && !p.Named[c.spoke.Obj().Pkg().Path()] {
			continue
		}
		k := byHub[c.hub]
		if k == nil {
			k = &Resource{Name: c.hub.Obj().Name(), Form: FormConverters}
			if k.Hub, err = versionOf(versions, c.hub); err != nil {
				return nil, err
			}
			k.Group, _, _ = strings.Cut(k.Hub.APIVersion, "/")
			byHub[c.hub] = k
		}
		spoke, err := versionOf(versions, c.spoke)
		if err != nil {
			return nil, err
		}
		spoke.To, spoke.From = c.to, c.from
		way := direction{c.spoke.Obj(), c.hub.Obj()}
		switch first, again := where[way]; {
		case again && (first.to != c.to || first.from != c.from):
			k.Problem = fmt.Errorf("%s and %s make converters of the same versions with different functions", first.at, c.at)
		case again:
			continue
		case c.problem != nil && k.Problem == nil:
			k.Problem = c.problem
		case !strings.HasPrefix(spoke.APIVersion, k.Group+"/") || c.spoke.Obj().Name() != k.Name:
			k.Problem = errors.New(groups(p, spoke, k.Hub))
		}
		where[way] = c
		k.Spokes = append(k.Spokes, spoke)
	}
	for hub, problem := range unknown {
		named := hub.Type().(*types.Named)
		if k := byHub[named]; k != nil {
			k.Problem = problem
		} else if p.Named[hub.Pkg().Path()] {
			v, err := versionOf(versions, named)
			if err != nil {
				return nil, err
			}
			group, _, _ := strings.Cut(v.APIVersion, "/")
			kinds = append(kinds, Resource{Name: hub.Name(), Group: group, Form: FormConverters, Hub: v, Problem: problem})
		}
	}
	for _, k := range byHub {
		kinds = append(kinds, *k)
	}
	slices.SortFunc(kinds, func(a, b Resource) int { return strings.Compare(a.Hub.APIVersion, b.Hub.APIVersion) })
	return kinds, nil
}

// versionOf returns the version that a type belongs to.
func versionOf(versions apiVersions, named *types.Named) (Version, error) {
	pkg := versions.p.All[named.Obj().Pkg().Path()]
	if pkg == nil {
		return Version{}, fmt.Errorf("the package %s of the type %s is not loaded", named.Obj().Pkg().Path(), named.Obj().Name())
	}
	apiVersion, err := versions.of(pkg, named.Obj())
	return Version{APIVersion: apiVersion, Named: named, Pkg: pkg}, err
}
