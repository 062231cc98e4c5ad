package discover

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

// throughHub returns a kind of knative with the hub that the operator gives to knative's webhook. The
// webhook calls the methods of this version only, so its hub decides which values a conversion between two
// others keeps. The kind has a Problem if the operator's source does not name one hub.
func throughHub(p *operator.Program, k Resource, list []candidate) Resource {
	k.Hub, k.Spokes, k.Problem = Version{}, nil, nil
	slices.SortFunc(list, func(a, b candidate) int { return strings.Compare(a.APIVersion, b.APIVersion) })
	places := map[int][]string{} // of the literals, by the hub's index in list
	for _, root := range p.Roots {
		files, err := operator.SourceFiles(root, "HubVersion")
		if err != nil {
			k.Problem = fmt.Errorf("looking for HubVersion: %w", err)
			return k
		}
		for _, f := range files {
			ast.Inspect(f.Tree, func(n ast.Node) bool {
				if literal, ok := n.(*ast.CompositeLit); ok {
					if hub := hubOf(literal); hub != nil {
						if i := slices.IndexFunc(list, func(c candidate) bool { return isOf(f, p, hub, c.Named.Obj()) }); i >= 0 {
							places[i] = append(places[i], f.Fset.Position(literal.Pos()).String())
						}
					}
				}
				return true
			})
		}
	}
	hubs := slices.Collect(maps.Keys(places))
	switch {
	case len(hubs) == 0:
		k.Problem = fmt.Errorf("the hub is not known: knative's webhook converts between %d versions by way of one of them, and the operator's source has no GroupKindConversion with HubVersion and Zygotes for %s; name the packages of two versions, whose conversions need no third",
			len(list), typeName(list[0].Named))
	case len(hubs) > 1:
		k.Problem = fmt.Errorf("the operator's source names different hubs for %s: %s and %s", typeName(list[0].Named), places[hubs[0]][0], places[hubs[1]][0])
	case Method(list[hubs[0]].Named, "ConvertTo") == nil || list[hubs[0]].To == nil:
		k.Problem = fmt.Errorf("the hub of knative's webhook is %s (%s), whose methods convert nothing", typeName(list[hubs[0]].Named), places[hubs[0]][0])
	}
	if k.Problem != nil {
		k.Hub = list[0].Version
		for _, c := range list[1:] {
			k.Spokes = append(k.Spokes, c.Version)
		}
		return k
	}
	hub := list[hubs[0]].Version
	for i, c := range list {
		if i != hubs[0] {
			spoke := c.Version
			spoke.To, spoke.From = hub.From, hub.To // the hub's methods take the spoke
			k.Spokes = append(k.Spokes, spoke)
		}
	}
	hub.To, hub.From = nil, nil
	k.Hub, k.HubAt = hub, places[hubs[0]][0]
	return k
}

// hubOf returns the type of the hub in a GroupKindConversion of knative.dev/pkg: the element of Zygotes whose
// key is the expression of HubVersion. It is nil for other literals.
func hubOf(literal *ast.CompositeLit) (hub ast.Expr) {
	members := map[string]ast.Expr{}
	for _, e := range literal.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			if name, ok := pair.Key.(*ast.Ident); ok {
				members[name.Name] = pair.Value
			}
		}
	}
	zygotes, ok := members["Zygotes"].(*ast.CompositeLit)
	if !ok || members["HubVersion"] == nil {
		return nil
	}
	for _, e := range zygotes.Elts {
		pair, ok := e.(*ast.KeyValueExpr)
		if !ok || types.ExprString(pair.Key) != types.ExprString(members["HubVersion"]) {
			continue
		}
		if pointer, ok := pair.Value.(*ast.UnaryExpr); ok {
			if zero, ok := pointer.X.(*ast.CompositeLit); ok {
				return zero.Type
			}
		}
	}
	return nil
}
