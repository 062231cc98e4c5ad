package schema

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// The verdicts are kept where the test is that holds the gateway's check to them, together with the
// definitions.
const (
	directory = "../../host/schema/testdata/"
	file      = "verdicts.jsonl.gz"
)

var (
	update = flag.Bool("update", false, "write the verdicts instead of comparing them")
	out    = flag.String("verdicts", directory+file, "where the verdicts are")
	seed   = flag.Uint64("seed", 1, "of the schemas and objects")
	times  = flag.Int("times", 1, "how many times as many schemas and objects to make")
)

// A line of the file is a schema or an object with its verdict, which is by the schema of the last
// line that has one.
type line struct {
	// Definition and Version name a schema of a definition in a file beside.
	Definition string          `json:"definition,omitempty"`
	Version    string          `json:"version,omitempty"`
	Schema     json.RawMessage `json:"schema,omitempty"`
	Object     json.RawMessage `json:"object,omitempty"`
	verdict
}

// TestVerdicts generates a fixed set of schemas and objects, judges them, and compares the verdicts
// with the file.
func TestVerdicts(t *testing.T) {
	var lines bytes.Buffer
	write := func(l line) { lines.Write(append(compact(l), '\n')) }
	writeMade(t, write)
	writeFormats(t, write)
	writeReal(t, write)
	if *update {
		if err := os.WriteFile(*out, deflate(t, lines.Bytes()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want := inflate(t, *out)
	if bytes.Equal(lines.Bytes(), want) {
		return
	}
	got, kept := strings.SplitAfter(lines.String(), "\n"), strings.SplitAfter(string(want), "\n")
	for i := range min(len(got), len(kept)) {
		if got[i] != kept[i] {
			t.Fatalf("line %d is %s, and kept is %s\nIf the API server has changed its mind: go test ./schema -update", i+1, got[i], kept[i])
		}
	}
	t.Fatalf("there are %d lines, and kept are %d", len(got), len(kept))
}

// writeMade writes made-up schemas with objects.
func writeMade(t *testing.T, write func(line)) {
	for n := range uint64(400 * *times) {
		random := rand.New(rand.NewPCG(*seed, n))
		var s schema
		var j *judge
		for tries := 0; j == nil; tries++ {
			s = schema{"type": "object", "required": []string{"spec"}, "properties": schema{"spec": author{random}.structural(0)}}
			var err error
			if j, err = newJudge(compact(s)); err != nil && tries > 100 {
				t.Fatalf("no good schema: %v: %s", err, compact(s))
			}
		}
		write(line{Schema: compact(s)})
		w := writer{Rand: random, wrong: 50}
		for range 8 {
			object := w.resource(s)
			write(line{Object: object, verdict: j.judge(t, object)})
		}
	}
}

// writeFormats writes objects with a field of every format, and in each a text that is one or
// nearly so.
func writeFormats(t *testing.T, write func(line)) {
	random := rand.New(rand.NewPCG(*seed, 0))
	properties := schema{}
	for _, format := range formats {
		properties[format] = schema{"type": "string", "format": format}
	}
	s := schema{"type": "object", "properties": schema{"spec": schema{"type": "object", "properties": properties}}}
	j, err := newJudge(compact(s))
	if err != nil {
		t.Fatal(err)
	}
	write(line{Schema: compact(s)})
	for range 60 * *times {
		spec := map[string]any{}
		for _, format := range formats {
			spec[format] = nearly(random, pick(random, examples[format]...))
		}
		object := compact(map[string]any{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": "x"}, "spec": spec})
		write(line{Object: object, verdict: j.judge(t, object)})
	}
}

// writeReal writes objects of real definitions.
func writeReal(t *testing.T, write func(line)) {
	paths, err := filepath.Glob(directory + "*.yaml.gz")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d definitions, %v", len(paths), err)
	}
	for n, path := range paths {
		var crd struct {
			Spec struct {
				Versions []struct {
					Name   string
					Schema struct{ OpenAPIV3Schema schema }
				}
			}
		}
		if err := yaml.Unmarshal(inflate(t, path), &crd); err != nil {
			t.Fatal(err)
		}
		for _, v := range crd.Spec.Versions {
			s := v.Schema.OpenAPIV3Schema
			j, err := newJudge(compact(s))
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			write(line{Definition: filepath.Base(path), Version: v.Name})
			for i := range uint64(3 * *times) {
				w := writer{Rand: rand.New(rand.NewPCG(*seed+uint64(n), i)), wrong: 20}
				object := w.resource(s)
				if len(object) < 40_000 {
					write(line{Object: object, verdict: j.judge(t, object)})
				}
			}
		}
	}
}

func inflate(t testing.TB, path string) []byte {
	t.Helper()
	compressed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func deflate(t *testing.T, content []byte) []byte {
	t.Helper()
	var compressed bytes.Buffer
	w, err := gzip.NewWriterLevel(&compressed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return compressed.Bytes()
}
