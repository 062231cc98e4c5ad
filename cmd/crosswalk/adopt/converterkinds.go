package adopt

import (
	"errors"
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// kindsOfConverters returns the kinds that calls of NewSpokeConverter convert, if one of their
// versions is in a package that was named.
func (p *program) kindsOfConverters() (kinds []kind, err error) {
	calls, unknown, err := p.spokeConverters()
	if err != nil {
		return nil, err
	}
	byHub := map[*types.Named]*kind{}
	where := map[direction]spokeConverter{}
	for _, c := range calls {
		if !p.named[c.hub.Obj().Pkg().Path()] && !p.named[c.spoke.Obj().Pkg().Path()] {
			continue
		}
		k := byHub[c.hub]
		if k == nil {
			k = &kind{name: c.hub.Obj().Name(), form: formConverters}
			if k.hub, err = p.versionOf(c.hub); err != nil {
				return nil, err
			}
			k.group, _, _ = strings.Cut(k.hub.apiVersion, "/")
			byHub[c.hub] = k
		}
		spoke, err := p.versionOf(c.spoke)
		if err != nil {
			return nil, err
		}
		spoke.to, spoke.from = c.to, c.from
		way := direction{c.spoke.Obj(), c.hub.Obj()}
		switch first, again := where[way]; {
		case again && (first.to != c.to || first.from != c.from):
			k.problem = fmt.Errorf("%s and %s make converters of the same versions with different functions", first.at, c.at)
		case again:
			continue
		case c.problem != nil && k.problem == nil:
			k.problem = c.problem
		case !strings.HasPrefix(spoke.apiVersion, k.group+"/") || c.spoke.Obj().Name() != k.name:
			k.problem = errors.New(p.groups(spoke, k.hub))
		}
		where[way] = c
		k.spokes = append(k.spokes, spoke)
	}
	for hub, problem := range unknown {
		named := hub.Type().(*types.Named)
		if k := byHub[named]; k != nil {
			k.problem = problem
		} else if p.named[hub.Pkg().Path()] {
			v, err := p.versionOf(named)
			if err != nil {
				return nil, err
			}
			group, _, _ := strings.Cut(v.apiVersion, "/")
			kinds = append(kinds, kind{name: hub.Name(), group: group, form: formConverters, hub: v, problem: problem})
		}
	}
	for _, k := range byHub {
		kinds = append(kinds, *k)
	}
	slices.SortFunc(kinds, func(a, b kind) int { return strings.Compare(a.hub.apiVersion, b.hub.apiVersion) })
	return kinds, nil
}

// versionOf returns the version that a type belongs to.
func (p *program) versionOf(named *types.Named) (version, error) {
	pkg := p.All[named.Obj().Pkg().Path()]
	if pkg == nil {
		return version{}, fmt.Errorf("the package %s of the type %s is not loaded", named.Obj().Pkg().Path(), named.Obj().Name())
	}
	apiVersion, err := p.groupVersion(pkg)
	return version{apiVersion: apiVersion, named: named, pkg: pkg}, err
}
