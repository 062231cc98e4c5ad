package compare

import (
	"bytes"
	"context"
	"encoding/json"
	"go/ast"
	"go/constant"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/extract"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/gocmd"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

// inputs are values for the objects of the comparison; the SDK's package adopttest reads them.
type inputs struct {
	Words   []string                     // constants in the conversions' functions
	Types   map[string][]string          // constants of named string types, by import path and name
	Samples map[string][]json.RawMessage // by apiVersion: the operator's own objects
	Objects map[string][]json.RawMessage // by apiVersion: made from its definition
}

const (
	inputsName = "inputs.json"
	maxWords   = 1000
	maxWord    = 200 // bytes: longer constants are messages
	// maxSamples and maxGenerated bound the objects of a version.
	maxSamples   = 150
	maxGenerated = 150
	// A module's files are looked through up to these bounds: Cluster API has 5,000 files.
	maxFiles    = 50_000
	maxYAML     = 4 << 20
	sampleBytes = 256 << 10
)

// Sources are the objects to compare.
type Sources struct {
	Given []json.RawMessage // by the author
	// Objects returns the objects in a text of YAML or JSON; nil means that the operator's samples
	// are not compared.
	Objects func(text []byte) []json.RawMessage
	// Generate returns up to n objects of a version that an API server with the definition would
	// store; nil means that there are none.
	Generate func(ctx context.Context, definition []byte, apiVersion string, n int, given []json.RawMessage) []json.RawMessage
}

// find collects words from the functions that conversions call, constants of the versions' types,
// and objects from the operator's modules and, by Generate, from its definition.
func (o Sources) find(ctx context.Context, p *operator.Program, k discover.Resource, x *extract.Extraction) inputs {
	in := inputs{Words: words(x), Types: constants(k), Samples: map[string][]json.RawMessage{}, Objects: map[string][]json.RawMessage{}}
	seen := map[string]bool{}
	for _, object := range o.Given {
		sample(k, object, in.Samples, seen)
	}
	definition := o.samples(p, k, in.Samples, seen)
	for _, v := range k.Versions() {
		samples := in.Samples[v.APIVersion]
		if len(samples) > maxSamples {
			samples = samples[:maxSamples]
			in.Samples[v.APIVersion] = samples
		}
		if o.Generate != nil && definition != nil {
			in.Objects[v.APIVersion] = o.Generate(ctx, definition, v.APIVersion, maxGenerated, samples)
		}
	}
	return in
}

// words returns the texts that the copied functions of the operator's own modules have as
// constants.
func words(x *extract.Extraction) []string {
	found := map[string]bool{}
	for u := range x.Reached {
		if std(u.Package.PkgPath) {
			continue
		}
		ast.Inspect(u.Node, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			if value := u.Package.TypesInfo.Types[e].Value; value != nil && value.Kind() == constant.String {
				if text := constant.StringVal(value); text != "" && len(text) <= maxWord && !strings.ContainsAny(text, "%\n\t") {
					found[text] = true
				}
			}
			return true
		})
	}
	words := slices.Sorted(maps.Keys(found))
	return words[:min(len(words), maxWords)]
}

// std reports whether a package is one of Kubernetes' libraries, whose constants are not the
// operator's.
func std(path string) bool {
	return strings.HasPrefix(path, "k8s.io/") || strings.HasPrefix(path, "sigs.k8s.io/json") || strings.HasPrefix(path, "sigs.k8s.io/yaml")
}

// constants returns the constants of the named string types in the versions.
func constants(k discover.Resource) map[string][]string {
	wanted := map[*types.TypeName]bool{}
	for _, v := range k.Versions() {
		stringTypes(v.Named, wanted, map[types.Type]bool{})
	}
	all := map[string][]string{}
	for t := range wanted {
		scope := t.Pkg().Scope()
		name := t.Pkg().Path() + "." + t.Name()
		for _, other := range scope.Names() {
			if c, ok := scope.Lookup(other).(*types.Const); ok && types.Identical(c.Type(), t.Type()) && c.Val().Kind() == constant.String {
				all[name] = append(all[name], constant.StringVal(c.Val()))
			}
		}
	}
	return all
}

// stringTypes notes the named string types in a type.
func stringTypes(t types.Type, found map[*types.TypeName]bool, seen map[types.Type]bool) {
	t = types.Unalias(t)
	if seen[t] {
		return
	}
	seen[t] = true
	if named, ok := t.(*types.Named); ok {
		if b, ok := named.Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 && named.Obj().Pkg() != nil {
			found[named.Obj()] = true
			return
		}
	}
	for _, inner := range code.Elements(t) {
		stringTypes(inner, found, seen)
	}
}

// samples adds the objects of the kind in the YAML and JSON files of the operator's repository, or of
// its published modules, and returns the text of its definition; nil if there is none.
func (o Sources) samples(p *operator.Program, k discover.Resource, objects map[string][]json.RawMessage, seen map[string]bool) (definition []byte) {
	if o.Objects == nil {
		return nil
	}
	roots := map[string]bool{}
	for _, pkg := range p.Initial { // definitions are often in another module than the types
		if m := pkg.Module; m != nil && m.Dir != "" {
			dir := m.Dir
			if m.Version == "" {
				dir = code.Repository(dir)
			}
			roots[dir] = true
		}
	}
	for _, root := range slices.Sorted(maps.Keys(roots)) {
		files := 0
		_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			switch name := entry.Name(); {
			case err != nil || files > maxFiles:
				return fs.SkipAll
			case entry.IsDir() && path != root && (name == "vendor" || name == "node_modules" || strings.HasPrefix(name, ".")):
				return fs.SkipDir
			case entry.IsDir() || !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name)):
				return nil
			}
			files++
			// A link can lead to a device or a pipe without an end.
			if info, err := entry.Info(); err != nil || !info.Mode().IsRegular() || info.Size() > maxYAML {
				return nil
			}
			text, err := os.ReadFile(path)
			if err != nil || !bytes.Contains(text, []byte(k.Name)) || !bytes.Contains(text, []byte(k.Group)) {
				return nil
			}
			for _, object := range o.Objects(text) {
				if d := sample(k, object, objects, seen); d != nil && (definition == nil || len(d) > len(definition)) {
					definition = d
				}
			}
			return nil
		})
	}
	return definition
}

// sample adds an object if it is of the kind; it returns its text if it is the kind's definition.
func sample(k discover.Resource, object json.RawMessage, objects map[string][]json.RawMessage, seen map[string]bool) (definition []byte) {
	var of struct {
		APIVersion, Kind string
		Spec             struct {
			Group string
			Names struct{ Kind string }
		}
	}
	if json.Unmarshal(object, &of) != nil && of.Kind == "" {
		return nil
	}
	if of.Kind == "CustomResourceDefinition" && of.Spec.Group == k.Group && of.Spec.Names.Kind == k.Name {
		return object
	}
	if of.Kind != k.Name || len(object) > sampleBytes || seen[string(object)] {
		return nil
	}
	for _, v := range k.Versions() {
		if v.APIVersion == of.APIVersion {
			seen[string(object)] = true
			objects[v.APIVersion] = append(objects[v.APIVersion], object)
		}
	}
	return nil
}

// write writes the file for the comparison.
func (in inputs) write(dir string) error {
	text, err := json.MarshalIndent(in, "", " ")
	if err != nil {
		return err
	}
	return gocmd.WriteFile(filepath.Join(dir, inputsName), text)
}
