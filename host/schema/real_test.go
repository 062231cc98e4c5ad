package schema

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// definitions returns the definitions in testdata; see the README there.
func definitions(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.yaml.gz")
	if err != nil || len(paths) != 5 {
		t.Fatalf("definitions in testdata: %d, %v", len(paths), err)
	}
	files := map[string][]byte{}
	for _, path := range paths {
		compressed, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		inflated, err := gzip.NewReader(bytes.NewReader(compressed))
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(inflated)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimSuffix(filepath.Base(path), ".yaml.gz")] = content
	}
	return files
}

func parse(t testing.TB, file []byte) *CRD {
	t.Helper()
	crd, err := Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	return crd
}

func TestRealDefinitions(t *testing.T) {
	files := definitions(t)
	for _, c := range []struct{ name, kind, versions string }{
		{"alertmanagerconfigs.monitoring.coreos.com", "AlertmanagerConfig", "v1alpha1* v1beta1"},
		{"certificates.cert-manager.io", "Certificate", "v1alpha2 v1alpha3 v1beta1 v1*"},
		{"clusters.cluster.x-k8s.io", "Cluster", "v1beta1 v1beta2*"},
		{"machinedeployments.cluster.x-k8s.io", "MachineDeployment", "v1beta1 v1beta2*"},
		{"tasks.tekton.dev", "Task", "v1beta1 v1*"},
	} {
		crd := parse(t, files[c.name])
		var versions []string
		for _, v := range crd.Versions {
			if v.Storage {
				v.Name += "*"
			}
			if !v.Served {
				v.Name = "(" + v.Name + ")"
			}
			versions = append(versions, v.Name)
		}
		if crd.FileName() != c.name+".crd.yaml" || crd.Kind != c.kind || strings.Join(versions, " ") != c.versions {
			t.Errorf("%s: %s %s %s", c.name, crd.FileName(), crd.Kind, versions)
		}
		if len(crd.Warnings) > 0 {
			t.Errorf("%s: %q", c.name, crd.Warnings)
		}
	}
}

// rounds is how many objects of each sort are made for each version.
const rounds = 15

// TestRealObjects checks objects generated from the schemas. They pass as they are; with one value
// of a wrong type, or one unknown field, exactly that violation is reported.
func TestRealObjects(t *testing.T) {
	for name, file := range definitions(t) {
		crd := parse(t, file)
		for i := range crd.Versions {
			v := &crd.Versions[i]
			t.Run(name+"/"+v.Name, func(t *testing.T) {
				for seed := range uint64(rounds) {
					full := seed%5 == 0
					g := newGenerator(seed, full)
					object := g.object(crd, v)
					if got := all(t, crd, v, object); len(got) > 0 {
						t.Fatalf("seed %d: %v in %s", seed, got, object)
					}
					for n := range uint64(8) {
						g.wrongType(t, crd, v, seed, full, int(n)*g.sites/8)
						g.unknownField(t, crd, v, seed, full, int(n)*g.sites/8)
					}
				}
			})
		}
	}
}

func all(t *testing.T, crd *CRD, v *Version, object []byte) []Violation {
	t.Helper()
	var got []Violation
	if err := crd.Check(v.Name, object, Options{}, func(v Violation) bool { got = append(got, v); return true }); err != nil {
		t.Fatal(err)
	}
	return got
}

// wrongType makes the object once more, with a wrong type at a value.
func (*generator) wrongType(t *testing.T, crd *CRD, v *Version, seed uint64, full bool, value int) {
	t.Helper()
	g := newGenerator(seed, full)
	g.bad = value
	object := g.object(crd, v)
	if g.broken == "" {
		return // every type is allowed there
	}
	got := all(t, crd, v, object)
	if !slices.ContainsFunc(got, func(v Violation) bool {
		return v.Path == g.broken && strings.HasPrefix(v.Message, "must be a") && strings.Contains(v.Message, ", not ")
	}) {
		t.Errorf("seed %d: %v, want one at %s in %s", seed, got, g.broken, object)
	}
}

// unknownField makes the object once more, with an unknown field in an object.
func (*generator) unknownField(t *testing.T, crd *CRD, v *Version, seed uint64, full bool, object int) {
	t.Helper()
	g := newGenerator(seed, full)
	g.odd = object
	doc := g.object(crd, v)
	if g.broken == "" {
		return // the API server keeps unknown fields there, or it is not an object
	}
	got := all(t, crd, v, doc)
	if len(got) != 1 || got[0].Path != g.broken || !got[0].Pruned {
		t.Errorf("seed %d: %v, want one at %s in %s", seed, got, g.broken, doc)
	}
}

// TestGeneratorBreaks shows that TestRealObjects does break objects.
func TestGeneratorBreaks(t *testing.T) {
	crd := parse(t, definitions(t)["certificates.cert-manager.io"])
	wrong, unknown := 0, 0
	for site := range 40 {
		g := newGenerator(1, true)
		g.bad = site
		if g.object(crd, crd.storage()); g.broken != "" {
			wrong++
		}
		g = newGenerator(1, true)
		g.odd = site
		if g.object(crd, crd.storage()); g.broken != "" {
			unknown++
		}
	}
	if wrong < 10 || unknown < 5 {
		t.Errorf("%d wrong types and %d unknown fields", wrong, unknown)
	}
}

func BenchmarkCheck(b *testing.B) {
	for name, file := range definitions(b) {
		crd := parse(b, file)
		for i := range crd.Versions {
			v := &crd.Versions[i]
			object := newGenerator(1, true).object(crd, v)
			b.Run(name+"/"+v.Name, func(b *testing.B) {
				report := func(v Violation) bool {
					b.Error(v)
					return false
				}
				b.SetBytes(int64(len(object)))
				b.ReportAllocs()
				for b.Loop() {
					if err := crd.Check(v.Name, object, Options{}, report); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for name, file := range definitions(b) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(file)))
			for b.Loop() {
				parse(b, file)
			}
		})
	}
}
