package schema

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	own "github.com/crosswalk-gateway/crosswalk/host/schema"
)

// BenchmarkLibrary compares the gateway's schema check with the validation library of the API
// server, on objects of real definitions. The library needs a decoded object, so decoding is part
// of its work. docs/develop/rationale.md refers to it.
func BenchmarkLibrary(b *testing.B) {
	paths, err := filepath.Glob(directory + "*.yaml.gz")
	if err != nil || len(paths) == 0 {
		b.Fatalf("%d definitions, %v", len(paths), err)
	}
	for _, path := range paths {
		file := inflate(b, path)
		var crd struct {
			Spec struct {
				Versions []struct {
					Name   string
					Schema struct{ OpenAPIV3Schema schema }
				}
			}
		}
		if err := yaml.Unmarshal(file, &crd); err != nil {
			b.Fatal(err)
		}
		definition, err := own.Parse(file)
		if err != nil {
			b.Fatal(err)
		}
		last := crd.Spec.Versions[len(crd.Spec.Versions)-1]
		name := strings.TrimSuffix(filepath.Base(path), ".yaml.gz")
		judge, err := newJudge(compact(last.Schema.OpenAPIV3Schema))
		if err != nil {
			b.Fatal(err)
		}
		object := judge.largest(b, last.Schema.OpenAPIV3Schema)
		if object == nil {
			b.Logf("%s: none of the made-up objects is valid", name)
			continue
		}
		b.Run(name+"/gateway", func(b *testing.B) {
			b.SetBytes(int64(len(object)))
			b.ReportAllocs()
			for b.Loop() {
				if err := definition.Check(last.Name, object, own.Options{}, func(own.Violation) bool { return true }); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/library", func(b *testing.B) {
			b.SetBytes(int64(len(object)))
			b.ReportAllocs()
			for b.Loop() {
				judge.check(b, object)
			}
		})
	}
}

// check does the library's part of [judge.judge], without collecting a verdict.
func (j *judge) check(b *testing.B, object []byte) {
	var tree map[string]any
	if err := utiljson.Unmarshal(object, &tree); err != nil {
		b.Fatal(err)
	}
	pruning.Prune(tree, j.structural, true)
	defaulting.PruneNonNullableNullsWithoutDefaults(tree, j.structural)
	_ = validation.ValidateCustomResource(nil, tree, j.validator)
	_ = listtype.ValidateListSetsAndMaps(nil, j.structural, tree)
}

// largest returns the largest valid object of 200 made-up objects of the judge's schema.
func (j *judge) largest(b *testing.B, s schema) (object []byte) {
	for i := range uint64(200) {
		made := writer{Rand: rand.New(rand.NewPCG(*seed, i))}.resource(s)
		if len(made) <= len(object) || len(made) > 40_000 {
			continue
		}
		if v := j.judge(b, made); len(v.Unknown)+len(v.Invalid) == 0 {
			object = made
		}
	}
	return object
}
