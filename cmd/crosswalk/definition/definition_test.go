package definition

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/crosswalk-gateway/crosswalk/host/schema"
)

func load(t *testing.T, path string) []Definition {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all, err := Read(text)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestReadExamples(t *testing.T) {
	files, err := filepath.Glob("../../../plugins/*/crd.yaml")
	if err != nil || len(files) < 7 {
		t.Fatalf("%d definitions, %v", len(files), err)
	}
	for _, file := range files {
		all := load(t, file)
		crd, err := schema.Parse(all[0].Text)
		if err != nil || len(all) != 1 {
			t.Fatalf("%s has %d definitions: %v", file, len(all), err)
		}
		if got, want := all[0].Kind(), crd.Kind+"."+crd.Group; got != want {
			t.Errorf("%s defines %s, want %s", file, got, want)
		}
	}
}

// TestReadCompositeResourceDefinition reads Crossplane's definitions of both versions: the result
// is a CustomResourceDefinition with Crossplane's own fields.
func TestReadCompositeResourceDefinition(t *testing.T) {
	text, err := os.ReadFile("testdata/xrd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, text, scope, has, not string }{
		{"v1", string(text), "Cluster", "spec.claimRef.name", "spec.crossplane"},
		{"v2", strings.Replace(string(text), "crossplane.io/v1", "crossplane.io/v2", 1), "Namespaced", "spec.crossplane.compositionRef.name", "spec.claimRef"},
		{"v2 of cluster scope", strings.Replace(strings.Replace(string(text), "crossplane.io/v1", "crossplane.io/v2", 1), "spec:\n  group", "spec:\n  scope: Cluster\n  group", 1), "Cluster", "spec.crossplane.resourceRefs", "spec.claimRef"},
	} {
		t.Run(c.name, func(t *testing.T) {
			all, err := Read([]byte(c.text))
			if err != nil || len(all) != 1 {
				t.Fatalf("%d definitions, %v", len(all), err)
			}
			if got := string(all[0].CRD.Spec.Scope); got != c.scope {
				t.Errorf("the scope is %s, want %s", got, c.scope)
			}
			crd, err := schema.Parse(all[0].Text)
			if err != nil {
				t.Fatal(err)
			}
			if len(crd.Versions) != 2 || crd.Versions[0].Name != "v1alpha1" {
				t.Fatalf("versions: %v", crd.Versions)
			}
			var paths []string
			for _, f := range crd.Versions[0].Fields(8) {
				paths = append(paths, strings.TrimPrefix(f.Path, "."))
			}
			list := strings.Join(paths, "\n") + "\n"
			for _, want := range []string{"spec.size\n", c.has, "status.conditions"} {
				if !strings.Contains(list, want) {
					t.Errorf("%s is missing in:\n%s", want, list)
				}
			}
			if strings.Contains(list, c.not) {
				t.Errorf("%s is in:\n%s", c.not, list)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "kind: ConfigMap\n", "has no CustomResourceDefinition"},
		{"an empty file", "", "CompositeResourceDefinition: it is empty"},
		{"broken YAML", "a: [", "CompositeResourceDefinition, and cannot be read as YAML: line 1: "},
		{"a comment", "# a CustomResourceDefinition\n", "has no CustomResourceDefinition"},
		{"an old version", "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\n", "must be apiextensions.k8s.io/v1"},
		{"an alias", "kind: CustomResourceDefinition\na: &a [1]\nb: *a\n", "aliases"},
		{"a Helm template", "kind: CustomResourceDefinition\nlabels: {{- include \"labels\" . | nindent 4 }}\n", "; it contains {{: render a template of a Helm chart first (helm template)"},
		{"a Helm template of another kind", "{{- if .Values.crd }}\na: 1\n{{- end }}\n", "; it contains {{: render a template of a Helm chart first (helm template)"},
		{"broken YAML in a later document", "a: 1\n---\n---\nkind: CustomResourceDefinition\nb: {{- x}}\n", "the file cannot be read as YAML: line 5: "},
		{"too many documents", strings.Repeat("---\n", maxDocuments+2), "YAML documents"},
		{"a wrong type", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: 7\n", "cannot be read"},
		{"a composite of a wrong type", "apiVersion: apiextensions.crossplane.io/v1\nkind: CompositeResourceDefinition\nspec: 7\n", "cannot be read"},
		{"too large", strings.Repeat("#", maxFile+1), "more than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Read([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, want %q", err, c.want)
			}
		})
	}
	if _, err := Read(nil); !errors.Is(err, ErrNone) {
		t.Errorf("an empty file: %v", err)
	}
}

// TestReadSource reads standard input, of which it reads no more than a file may have.
func TestReadSource(t *testing.T) {
	all, text, err := ReadSource(strings.NewReader("kind: A\n"), "testdata/xrd.yaml")
	if err != nil || len(all) != 1 || !strings.Contains(string(text), "CompositeResourceDefinition") {
		t.Errorf("%d definitions, %v", len(all), err)
	}
	endless := &endless{}
	if _, _, err := ReadSource(endless, "-"); err == nil || !strings.HasPrefix(err.Error(), "standard input: the file has ") || endless.read > 2*maxFile {
		t.Errorf("%d bytes read: %v", endless.read, err)
	}
}

type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	if e.read > 4*maxFile {
		return 0, io.EOF
	}
	for i := range p {
		p[i] = '#'
	}
	e.read += len(p)
	return len(p), nil
}

// TestLines finds fields of the second definition of a file.
func TestLines(t *testing.T) {
	const file = "kind: Other\n---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n  group: a\n  versions:\n  - name: v1\n    schema:\n      openAPIV3Schema:\n" +
		"        properties:\n          spec:\n            properties:\n              list:\n                items:\n                  additionalProperties:\n                    type: string\n  - name: v2\n"
	all, err := Read([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	lines := all[0].Lines([]byte(file))
	for _, c := range []struct {
		version, path string
		want          int
	}{{"", "", 5}, {"v2", "", 18}, {"v1", "", 8}, {"v1", "spec", 12}, {"v1", "spec list [] *", 16}, {"v1", "spec gone", 13}, {"v2", "spec", 18}, {"v3", "spec", 7}} {
		if got := lines.Of(c.version, strings.Fields(c.path)); got != c.want {
			t.Errorf("%s %s: line %d, want %d", c.version, c.path, got, c.want)
		}
	}
}

// TestReadFileIsBounded reads a file that is larger than the machine's memory and takes no space on
// its disk: anybody's archive or repository can have one beside a module.
func TestReadFileIsBounded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "things.example.com.crd.yaml")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, 1<<42); err != nil {
		t.Skip(err) // not every file system has files as large
	}
	if _, err := ReadFile(file, ""); err == nil || !strings.Contains(err.Error(), "more than 33554432") {
		t.Errorf("the error is %v", err)
	}
}

// TestReadSourceOfUTF16: Windows PowerShell writes the output of kubectl so.
func TestReadSourceOfUTF16(t *testing.T) {
	text, err := os.ReadFile("../../../plugins/crontab/crd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want, err := Read(text)
	if err != nil {
		t.Fatal(err)
	}
	text = append([]byte("# 😀 ü\r\n"), text...)
	for name, order := range map[string]binary.AppendByteOrder{"little": binary.LittleEndian, "big": binary.BigEndian} {
		var coded []byte
		for _, unit := range utf16.Encode([]rune("\ufeff" + string(text))) {
			coded = order.AppendUint16(coded, unit)
		}
		all, got, err := ReadSource(bytes.NewReader(coded), "-")
		if err != nil || len(all) != 1 || all[0].Kind() != want[0].Kind() || !bytes.Equal(got, text) {
			t.Errorf("%s endian: %d definitions, %v", name, len(all), err)
		}
		if _, _, err := ReadSource(bytes.NewReader(coded[:len(coded)-1]), "-"); err != nil {
			t.Errorf("%s endian, cut off: %v", name, err)
		}
	}
}
