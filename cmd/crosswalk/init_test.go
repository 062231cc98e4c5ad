package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/scaffold"
)

// newProject has init write a project and returns its directory.
func newProject(t *testing.T, language string, args ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "project")
	code, out, errors := crosswalk("", append([]string{"init", "--lang", language, "--dir", dir, "--sdk", filepath.Join("..", "..", "sdk")}, args...)...)
	if code != exitOK || errors != "" {
		t.Fatalf("%d: %s%s", code, out, errors)
	}
	return dir
}

// makeTarget runs make in a project, where this very program is crosswalk.
func makeTarget(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	if _, err := exec.LookPath("crosswalk"); err == nil { // which a project prefers to the one that made it
		program, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, "CROSSWALK="+program)
	}
	cmd := exec.Command("make", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), actAsCrosswalk+"=1", "GOFLAGS=-mod=mod -buildvcs=false")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestInit walks the path of a newcomer in every language: init, make test, and a conversion.
func TestInit(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a project in every language")
	}
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("no make")
	}
	for _, language := range scaffold.Languages() {
		t.Run(language, func(t *testing.T) {
			dir := newProject(t, language, "--kind", "CronTab.stable.example.com", "--versions", "v1beta1,v1")
			if out, err := makeTarget(t, dir, "-s", "toolchain"); err != nil {
				t.Skipf("the machine cannot build it: %s", out)
			}
			out, err := makeTarget(t, dir, "test")
			if err != nil {
				t.Fatalf("make test: %v\n%s", err, out)
			}
			for _, want := range []string{"4 golden cases passed", " 0 failed, "} {
				if !strings.Contains(out, want) {
					t.Errorf("make test does not say %q:\n%s", want, out)
				}
			}
			if out, err := makeTarget(t, dir, "-s", "try"); err != nil || !strings.Contains(out, `"apiVersion": "stable.example.com/v1",`) || !strings.Contains(out, `"number": 9007199254740993`) {
				t.Errorf("make try: %v\n%s", err, out)
			}
			leftOver := exec.Command("grep", "-rn", "<no value>\\|{{", "--exclude-dir=node_modules", "--exclude-dir=target", "--exclude-dir=build", ".")
			leftOver.Dir = dir
			if out, err := leftOver.Output(); err == nil && !strings.Contains(string(out), "crosswalk.h") {
				t.Errorf("templates were not filled in:\n%s", out)
			}
		})
	}
}

const twoVersions = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {metadata: {type: object}, spec: {type: object, properties: {size: {type: integer}, host: {type: object, properties: {name: {type: string}}}}}}}}
  - name: v2
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: string}, address: {type: string}}}}}}
`

func TestInitFromDefinition(t *testing.T) {
	crd := filepath.Join(t.TempDir(), "crd.yaml")
	write(t, crd, twoVersions)
	text, err := os.ReadFile(filepath.Join(newProject(t, "go", "--crd", crd), "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	const want = `
// v1ToV2 makes an object of v2 of one of v1.
//
//	only in v1:
//	  .spec.host (an object)
//	only in v2:
//	  .spec.address (a string)
//	of another type:
//	  .spec.size (an integer, then a string)
func v1ToV2(o *crosswalk.Object) error {
`
	if !strings.Contains(string(text), want) {
		t.Errorf("missing:%sin\n%s", want, text)
	}
	for _, c := range []struct{ args, want string }{
		{"--versions v1,v3", " has no version v3; it has v1, v2 "},
		{"--kind Other.example.com", "contradict each other: leave --kind out "},
	} {
		code, _, errors := crosswalk("", append([]string{"init", "--lang", "go", "--crd", crd}, strings.Fields(c.args)...)...)
		if code != exitUsage || !strings.Contains(errors, c.want) {
			t.Errorf("%s: %d %s", c.args, code, errors)
		}
	}
}

func TestInitKeepsWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "main.go"), "package mine")
	code, _, errors := crosswalk("", "init", "--lang", "go", "--kind", "A.b.c", "--versions", "v1,v2", "--dir", dir, "--sdk", filepath.Join("..", "..", "sdk"))
	if code != exitFailure || errors != "crosswalk init: "+dir+" is not empty: name a directory that does not exist yet\n" {
		t.Errorf("%d %s", code, errors)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("files were written: %v", entries)
	}
}
