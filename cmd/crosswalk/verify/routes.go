package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/modules"
	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// showRoutes writes the routes between the versions that modules convert, from their names.
func showRoutes(out io.Writer, args []string) error {
	names, misnamed, err := modules.Names(args)
	if err != nil {
		return err
	}
	if err := writeRoutes(out, routesOf(names)); err != nil || misnamed == nil {
		return err
	}
	return command.Findingf("ignored, as by a gateway: %w", misnamed)
}

// namesake is a module of which only the name is known.
type namesake string

func (n namesake) Name() string              { return string(n) }
func (namesake) Digest() string              { return "" }
func (namesake) Fields(_, _ string) []string { return nil }
func (namesake) Convert(context.Context, string, string, [][]byte) ([][]byte, map[int]string, error) {
	return nil, nil, errors.New("only the module's name is known")
}

func routesOf(names []artifact.Name) *host.Routes {
	var edges []host.Edge
	for _, n := range names {
		for _, e := range n.Edges() {
			edges = append(edges, host.Edge{Group: e.Group, Kind: e.Kind, From: e.From, To: e.To, Module: namesake(n.File)})
		}
	}
	return host.NewRoutes(edges)
}

// writeRoutes writes the way between every ordered pair of versions of every kind.
func writeRoutes(out io.Writer, routes *host.Routes) error {
	var b strings.Builder
	for _, name := range routes.Kinds() {
		kind, group, _ := strings.Cut(name, ".")
		versions := routes.Versions(group, kind)
		fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(versions, ", "))
		for _, from := range versions {
			for _, to := range versions {
				if from != to {
					writeWay(&b, from, to, routes.Path(group, kind, from, to))
				}
			}
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func writeWay(b *strings.Builder, from, to string, way []host.Edge) {
	if way == nil {
		fmt.Fprintf(b, "  %s → %s  missing\n", from, to)
		return
	}
	steps, files := []string{from}, []string(nil)
	for _, e := range way {
		steps, files = append(steps, e.To), append(files, e.Module.Name())
	}
	fmt.Fprintf(b, "  %s  %s\n", strings.Join(steps, " → "), strings.Join(slices.Compact(files), ", "))
}
