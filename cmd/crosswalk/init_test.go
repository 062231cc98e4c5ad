package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/scaffold"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/script"
)

// newProject has init write a project and returns its directory.
func newProject(t *testing.T, language string, args ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "project")
	code, out, errors := crosswalk("", append([]string{"init", "--lang", language, "--dir", dir}, args...)...)
	if code != command.ExitOK || errors != "" {
		t.Fatalf("%d: %s%s", code, out, errors)
	}
	return dir
}

// makeTarget runs make in a project, where this very program is crosswalk.
func makeTarget(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("make", append(args, "CROSSWALK="+program)...)
	cmd.Dir = dir
	// Without the flags of the make that may have started the tests.
	cmd.Env = append(os.Environ(), actAsCrosswalk+"=1", "GOFLAGS=-mod=mod -buildvcs=false", "MAKEFLAGS=", "MAKELEVEL=0")
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
			if _, err := script.Engine(); err != nil && language == "javascript" {
				t.Skip(err)
			}
			if out, err := makeTarget(t, dir, "-s", "toolchain"); err != nil {
				t.Skipf("the machine cannot build it: %s", out)
			}
			shareDownloads(t, dir, language)
			out, err := makeTarget(t, dir, "test")
			if err != nil {
				t.Fatalf("make test: %v\n%s", err, out)
			}
			for _, want := range []string{" passed, 0 failed, "} {
				if !strings.Contains(out, want) {
					t.Errorf("make test does not say %q:\n%s", want, out)
				}
			}
			if out, err := makeTarget(t, dir, "-s", "try"); err != nil || !strings.Contains(out, `"apiVersion": "stable.example.com/v1",`) || !strings.Contains(out, `"number": 9007199254740993`) {
				t.Errorf("make try: %v\n%s", err, out)
			}
			if out, err := makeTarget(t, dir, "-s", "configmap"); err != nil || !strings.HasPrefix(out, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: crosswalk-modules\n") ||
				!strings.Contains(out, "\n  CronTab.stable.example.com_v1beta1_v1.wasm.gz: ") || !strings.Contains(out, "\n  CronTab.stable.example.com_v1beta1_v1.yaml: ") {
				t.Errorf("make configmap: %v\n%.1000s", err, out)
			}
			leftOver := exec.Command("grep", "-rn", "<no value>\\|{{", "--exclude-dir=node_modules", "--exclude-dir=sdk", "--exclude-dir=target", "--exclude-dir=build", ".")
			leftOver.Dir = dir
			if out, err := leftOver.Output(); err == nil && !strings.Contains(string(out), "crosswalk.h") {
				t.Errorf("templates were not filled in:\n%s", out)
			}
		})
	}
}

// TestInitWithRepositoryConverter: a project of the example definition of deploy passes all tests
// with the converter of plugins.
func TestInitWithRepositoryConverter(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a project")
	}
	dir := newProject(t, "go", "--crd", "../../deploy/examples/crd.yaml")
	converter, err := os.ReadFile("../../plugins/crontab/go/main.go")
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "main.go"), string(converter))
	if out, err := makeTarget(t, dir, "test"); err != nil || !strings.Contains(out, " passed, 0 failed, ") {
		t.Errorf("make test: %v\n%s", err, out)
	}
}

// shareDownloads gives a project the packages of npm that the repository's own SDK has, so that the
// test needs no network.
func shareDownloads(t *testing.T, dir, language string) {
	t.Helper()
	if language != "assemblyscript" {
		return
	}
	from, err := filepath.Abs(filepath.Join("..", "..", "sdk", language, "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(from); err != nil {
		t.Skipf("the SDK's packages are not installed: cd sdk/%s && npm ci", language)
	}
	if err := os.Symlink(from, filepath.Join(dir, "sdk", language, "node_modules")); err != nil {
		t.Fatal(err)
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
	writeFile(t, crd, twoVersions)
	dir := newProject(t, "go", "--crd", crd)
	text, err := os.ReadFile(filepath.Join(dir, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	sidecar, err := os.ReadFile(filepath.Join(dir, "Thing.example.com_v1_v2.yaml"))
	if err != nil || strings.Contains(string(sidecar), "example: ") { // a field that the schemas do not have
		t.Errorf("%v: the golden cases are\n%s", err, sidecar)
	}
	if kept, err := os.ReadFile(filepath.Join(dir, "things.example.com.crd.yaml")); err != nil || string(kept) != twoVersions {
		t.Errorf("the definition is kept as %q, %v", kept, err)
	}
	if out, err := makeTarget(t, dir, "-n", "check"); err != nil || !strings.Contains(out, " test --crd things.example.com.crd.yaml .\n") {
		t.Errorf("make check: %v\n%s", err, out)
	}
	if !testing.Short() { // an untouched converter fails until it is written
		if out, err := makeTarget(t, dir, "check"); err == nil || !strings.Contains(out, "FAIL   v1→v2→v1 spec.host: lost") || strings.Contains(out, "  note   ") || strings.Contains(out, "FAIL   a gateway serves it") {
			t.Errorf("make check: %v\n%s", err, out)
		}
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
	for _, version := range []string{"v1", "v2"} { // spec.host and spec.address exist in one of them
		if want := `"example.com/` + version + `", "metadata.annotations['conversion.example.com/stash']", "spec.`; !strings.Contains(string(text), want) {
			t.Errorf("missing %s in\n%s", want, text)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"--versions v1,v3", " has no version v3; it has v1, v2 "},
		{"--kind Other.example.com", "contradict each other: leave --kind out "},
	} {
		code, _, errors := crosswalk("", append([]string{"init", "--lang", "go", "--crd", crd}, strings.Fields(c.args)...)...)
		if code != command.ExitError || !strings.Contains(errors, c.want) {
			t.Errorf("%s: %d %s", c.args, code, errors)
		}
	}
}

// TestInitLists tests that init lists the author's files, and the copied SDK in one line.
func TestInitLists(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "thing")
	code, out, errors := crosswalk("", "init", "--lang", "rust", "--kind", "Thing.example.com", "--versions", "v1beta1,v1", "--dir", dir)
	if code != command.ExitOK || errors != "" {
		t.Fatalf("%d: %s", code, errors)
	}
	out = regexp.MustCompile(`\(\d+ files`).ReplaceAllString(out, "(N files")
	want := dir + ` has a converter of Thing.example.com between v1beta1 and v1:
  .gitignore
  Cargo.toml
  Makefile
  README.md
  Thing.example.com_v1beta1_v1.yaml
  crosswalk.mk
  sample.json
  src/lib.rs
  sdk/ (N files: the SDK)
Next: cd ` + dir + " && make test\n"
	if out != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
}

// TestInitReadme tests that the README of a project says in every language where the SDK is
// described, in files that exist, and links only to pages of the repository that exist.
func TestInitReadme(t *testing.T) {
	crd := filepath.Join(t.TempDir(), "crd.yaml")
	writeFile(t, crd, twoVersions)
	page := regexp.MustCompile(regexp.QuoteMeta(scaffold.Site) + `/blob/main/([^)#\s]+)`)
	file := regexp.MustCompile("`((?:sdk|types)/[^`]+|crosswalk[^`]*\\.hp*)`")
	for _, language := range scaffold.Languages() {
		dir := newProject(t, language, "--crd", crd)
		text, err := os.ReadFile(filepath.Join(dir, "README.md"))
		if err != nil {
			t.Fatal(err)
		}
		sidecar, err := os.ReadFile(filepath.Join(dir, "Thing.example.com_v1_v2.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		pages := page.FindAllStringSubmatch(string(text)+string(sidecar), -1)
		for _, p := range pages {
			if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(p[1]))); err != nil {
				t.Errorf("%s: %v", language, err)
			}
		}
		files := file.FindAllStringSubmatch(string(text), -1)
		for _, f := range files {
			if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(f[1]))); err != nil {
				t.Errorf("%s: %v", language, err)
			}
		}
		documented := len(files) > 0 || strings.Contains(string(text), "`go doc ") || strings.Contains(string(text), "`cargo doc ")
		if len(pages) < 5 || !documented || !strings.Contains(strings.ToLower(string(text)), "lossless") {
			t.Errorf("%s: %d pages, %d files:\n%s", language, len(pages), len(files), text)
		}
	}
}

// TestInitFromRelease reads release manifests, which have many definitions and other objects.
func TestInitFromRelease(t *testing.T) {
	release := filepath.Join(t.TempDir(), "release.yaml")
	other := strings.NewReplacer("Thing", "Thong", "things", "thongs", "address", "'*/ address'").Replace(twoVersions)
	writeFile(t, release, "apiVersion: v1\nkind: Namespace\nmetadata: {name: things}\n---"+other+"---"+twoVersions)
	text, err := os.ReadFile(filepath.Join(newProject(t, "c", "--crd", release, "--kind", "Thong.example.com"), "converter.c"))
	if err != nil {
		t.Fatal(err)
	}
	if want := " *     .spec.*\\/ address (a string)\n"; !strings.Contains(string(text), want) { // which does not end the comment
		t.Errorf("missing %q in\n%s", want, text)
	}
	for _, c := range []struct{ args, want string }{
		{"", "crosswalk init: FILE defines 2 kinds: Thing.example.com, Thong.example.com: name one with --kind (crosswalk init --help says more)\n"},
		{"--kind Song.example.com", "crosswalk init: FILE defines 2 kinds: Thing.example.com, Thong.example.com, and --kind Song.example.com is not one of them (crosswalk init --help says more)\n"},
	} {
		code, _, errors := crosswalk("", append([]string{"init", "--lang", "go", "--crd", release}, strings.Fields(c.args)...)...)
		if code != command.ExitError || strings.ReplaceAll(errors, release, "FILE") != c.want {
			t.Errorf("%s: %d %s\nwant %s", c.args, code, errors, c.want)
		}
	}
	writeFile(t, release, "apiVersion: v1\nkind: Namespace\nmetadata: {name: things}\n---"+twoVersions)
	kept, err := os.ReadFile(filepath.Join(newProject(t, "go", "--crd", release), "things.example.com.crd.yaml")) // the only definition
	if err != nil || strings.Contains(string(kept), "Namespace\n") {
		t.Errorf("kept %q, %v", kept, err)
	}
}

// TestInitLeavesNothing tests that a failed init leaves no files.
func TestInitLeavesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "project")
	name := strings.Repeat("a", 250) // too long for the sidecar's name, and not for the directory's
	_, err := scaffold.Write(dir, "go", scaffold.Project{Kind: "A", Group: name, Versions: []string{"v1", "v2"}})
	if err == nil || !strings.Contains(err.Error(), "file name too long") {
		t.Errorf("%v", err)
	}
	if entries, err := os.ReadDir(dir); err == nil {
		t.Errorf("left: %v", entries)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := scaffold.Write(dir, "go", scaffold.Project{Kind: "A", Group: name, Versions: []string{"v1", "v2"}}); err == nil {
		t.Error("no error")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 { // the directory was there before
		t.Errorf("left: %v, %v", entries, err)
	}
}

// TestInitWithoutNeed tests the messages for definitions that need no converter.
func TestInitWithoutNeed(t *testing.T) {
	crd := filepath.Join(t.TempDir(), "crd.yaml")
	alike := twoVersions[:strings.Index(twoVersions, "  - name: v2")]
	writeFile(t, crd, alike)
	code, _, errors := crosswalk("", "init", "--lang", "go", "--crd", crd)
	if want := "crosswalk init: " + crd + " defines Thing.example.com with one version, v1: there is nothing to convert (crosswalk init --help says more)\n"; code != command.ExitError || errors != want {
		t.Errorf("%d %swant %s", code, errors, want)
	}
	v1 := alike[strings.Index(alike, "  - name: v1"):]
	writeFile(t, crd, alike+strings.NewReplacer("name: v1", "name: v2", "storage: true", "storage: false").Replace(v1))
	const note = "\nNote: the schemas of v1, v2 name the same fields. An API server converts among them by itself, with spec.conversion.strategy: None;\n"
	code, out, _ := crosswalk("", "init", "--lang", "go", "--crd", crd, "--dir", filepath.Join(t.TempDir(), "project"))
	if code != command.ExitOK || !strings.Contains(out, note) {
		t.Errorf("%d %s", code, out)
	}
	writeFile(t, crd, twoVersions)
	if _, out, _ := crosswalk("", "init", "--lang", "go", "--crd", crd, "--dir", filepath.Join(t.TempDir(), "project")); strings.Contains(out, "Note:") {
		t.Errorf("versions that differ: %s", out)
	}
}

func TestInitKeepsExistingFiles(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "main.go"), "package mine")
	code, _, errors := crosswalk("", "init", "--lang", "go", "--kind", "A.b.c", "--versions", "v1,v2", "--dir", dir)
	if code != command.ExitError || errors != "crosswalk init: "+dir+" is not empty: name a directory that does not exist yet\n" {
		t.Errorf("%d %s", code, errors)
	}
	if code, _, errors := crosswalk("", "init", "--lang", "go", "--kind", "A.b.c", "--versions", "v1,v2", "--dir", filepath.Join(dir, "main.go")); code != command.ExitError ||
		errors != "crosswalk init: "+dir+"/main.go is a file: name a directory that does not exist yet\n" {
		t.Errorf("%d %s", code, errors)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("files were written: %v", entries)
	}
}

// TestInitRulesWithoutSchemas tests that init --rules without a definition claims nothing about
// schemas, which it has not read.
func TestInitRulesWithoutSchemas(t *testing.T) {
	dir := t.TempDir()
	code, out, errors := crosswalk("", "init", "--rules", "--kind", "CronTab.stable.example.com", "--versions", "v1,v2", "--dir", dir)
	file := filepath.Join(dir, "rules.yaml")
	want := file + " has no rules for CronTab.stable.example.com between v1 and v2 yet: write them, or let --crd FILE propose some.\nNext: crosswalk compile " + file + "\n"
	if code != command.ExitOK || out != want || errors != "" {
		t.Errorf("%d: %q, %q; want %q", code, out, errors, want)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const head = `# yaml-language-server: $schema=rules.schema.json
# Rules of CronTab.stable.example.com, for you to write: no schema was read. With --crd FILE, crosswalk init proposes rules.
# All rules: https://github.com/crosswalk-gateway/crosswalk/blob/main/docs/author/rules.md. Compile them with: crosswalk compile rules.yaml
kind: CronTab
group: stable.example.com
conversions:
- from: v1
  to: v2
  rules: []
`
	if string(text) != head {
		t.Errorf("the file is\n%swant\n%s", text, head)
	}
}

// TestInitRulesFromObjects tests that init --rules infers rules from objects, which it proves, and
// what it says of files that it cannot use. It writes nothing then.
func TestInitRulesFromObjects(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	version := func(name, storage, properties string) string {
		return "  - {name: " + name + ", served: true, storage: " + storage + ", schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {" + properties + "}}}}}}\n"
	}
	writeFile(t, at("crd.yaml"), "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: disks.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n"+
		"  names: {kind: Disk, plural: disks}\n  versions:\n"+version("v1", "true", "policy: {type: string, enum: [keep, delete]}, zone: {type: string}")+
		version("v2", "false", "onDelete: {type: string, enum: [Retain, Remove]}, where: {type: string}, who: {type: string}"))
	object := func(version, name, spec string) string {
		return "apiVersion: example.com/" + version + "\nkind: Disk\nmetadata: {name: " + name + "}\nspec: {" + spec + "}\n---\n"
	}
	v1 := object("v1", "a", "policy: keep, zone: eu") + object("v1", "b", "policy: delete, zone: us")
	writeFile(t, at("v1.yaml"), v1)
	writeFile(t, at("both.yaml"), v1+object("v2", "a", "onDelete: Retain, where: eu, who: x")+object("v2", "b", "onDelete: Remove, where: us")+"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n")
	writeFile(t, at("bad.yaml"), "a: [")
	code, out, errors := crosswalk("", "init", "--rules", "--crd", at("crd.yaml"), "-f", at("both.yaml"), "--dir", at("rules"))
	if code != command.ExitOK || !strings.Contains(out, "Objects whose values were compared: 2.") || !strings.Contains(errors, "both.yaml:21: ignored: not a Disk of example.com\n") {
		t.Fatalf("%d: %s%s", code, out, errors)
	}
	text, err := os.ReadFile(at("rules/rules.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"  # the values of spec.zone and spec.where correspond in 2 objects: a has \"eu\" and \"eu\" in v1 and v2\n  - {rename: spec.zone, to: spec.where}\n",
		"  - {translate: spec.policy, to: spec.onDelete, values: [[\"delete\", \"Remove\"], [\"keep\", \"Retain\"]]}\n  # spec.who (a string) is in v2 only\n  - {drop: spec.who, in: v2}\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("missing %s in\n%s", want, text)
		}
	}
	if code, out, errors := crosswalk("", "prove", "--crd", at("crd.yaml"), at("rules/rules.yaml")); code != command.ExitOK || !strings.Contains(out, "\nproved") {
		t.Errorf("%d: %s%s", code, out, errors)
	}
	for _, c := range []struct{ args, want string }{
		{"--rules --crd " + at("crd.yaml") + " -f " + at("v1.yaml"), "no object of Disk.example.com is given in two neighbouring versions of v1 and v2: -f needs the manifests of one object, with the same name, in both\nnot compared: 2 objects"},
		{"--rules --crd " + at("crd.yaml") + " -f " + at("bad.yaml"), "bad.yaml is neither JSON nor YAML: line 1"},
		{"--rules --kind A.b.c --versions v1,v2 -f " + at("v1.yaml"), "-f needs --crd"},
		{"--lang go --crd " + at("crd.yaml") + " -f " + at("v1.yaml"), "-f needs --rules"},
	} {
		code, _, errors := crosswalk("", append([]string{"init", "--dir", at("none")}, strings.Fields(c.args)...)...)
		if _, err := os.Stat(at("none")); code == command.ExitOK || !strings.Contains(errors, c.want) || err == nil {
			t.Errorf("%s: %d, %v, %s", c.args, code, err, errors)
		}
	}
}

// TestInitProves asserts that init --rules says whether the rules that it wrote are proved, beside what
// they carry, and nothing of a proof if it names a loss.
func TestInitProves(t *testing.T) {
	if testing.Short() {
		t.Skip("tries thousands of objects")
	}
	for name, want := range map[string]string{
		"crontab":     "\ncarries all 6 fields that differ; 100 % of v1's objects are valid at v2, 100 % of v2's at v1\nThey are proved to lose nothing.\n",
		"certificate": "except for 1 loss that this file names.",
		"healthcheck": "\nThey are not proved to lose nothing. Open:\n  line 20: spec.nodeStartupTimeout: there is no lemma for ",
		"database":    "\nThey are proved to lose nothing, within limits that crosswalk prove names.\n",
	} {
		_, out, errs := crosswalk("", "init", "--rules", "--crd", filepath.Join("..", "..", "plugins", name, "crd.yaml"), "--dir", t.TempDir())
		if !strings.Contains(out, want) || strings.Contains(out, "except for") && strings.Contains(out, "proved") {
			t.Errorf("%s: %s%s", name, out, errs)
		}
	}
}
