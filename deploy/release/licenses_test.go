package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/sdk"
)

// licensesNameTheBill fails if a component of a program's bill has no licence.
func licensesNameTheBill(t *testing.T, r release, program string) {
	t.Helper()
	text, err := os.ReadFile(program + ".cdx.json")
	if err != nil {
		t.Fatal(err)
	}
	var bill struct {
		Components []struct{ Name, Version string }
	}
	if err := json.Unmarshal(text, &bill); err != nil || len(bill.Components) < 10 {
		t.Fatalf("%v: %s", err, text)
	}
	licenses, err := os.ReadFile(r.path(licensesFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range bill.Components {
		want := strings.TrimSpace(c.Name+" "+c.Version) + ", "
		if c.Name == "stdlib" {
			want = "Go's standard library, LICENSE"
		}
		if !bytes.Contains(licenses, []byte("\n"+want)) {
			t.Errorf("%s has no licence of %s %s", licensesFile, c.Name, c.Version)
		}
	}
}

// TestLicensesOfTheTool needs the packages of npm that are linked into the JavaScript engine.
func TestLicensesOfTheTool(t *testing.T) {
	inRepository(t)
	if _, err := os.Stat(nodeModules); err != nil {
		t.Skip("run make engine: ", err)
	}
	r := release{"v1.2.3", "revision", t.TempDir()}
	if err := r.licensesOf(context.Background(), []target{{"crosswalk", "linux", "amd64"}, {"gateway", "linux", "amd64"}}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(r.path(licensesFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Crosswalk v1.2.3\n\nApache License\n",
		"\nGo's standard library, LICENSE (in crosswalk, gateway)\n",
		"\nGo's standard library, PATENTS (in crosswalk, gateway)\n",
		"\nquickjs-ng 0.17.0, quickjs-ng.txt (in crosswalk)\n", "Fabrice Bellard", "UNICODE LICENSE V3",
		"\nquickjs-wasi 3.6.2, LICENSE (in crosswalk)\n",
		"\nassemblyscript 0.28.20, NOTICE (in crosswalk)\n",
		"\nwasi-libc, wasi-libc.txt (in crosswalk)\n", "Rich Felker", "Nuxi",
		"NOTICE (in crosswalk, gateway)\n", // wazero's
	} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("%s lacks %q", licensesFile, want)
		}
	}
	engine, err := os.ReadFile(filepath.Join(nodeModules, "quickjs-wasi/quickjs.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(engine, []byte("\x000.17.0\x00")) {
		t.Error("quickjs-wasi has another QuickJS than parts.go says")
	}
}

func TestLicensesHaveEachTextOnce(t *testing.T) {
	found := legals{}
	found.add("b", "m v1, LICENSE", []byte("MIT\r\n"))
	found.add("a", "m v1, LICENSE", []byte("MIT\n"))
	found.add("a", "l v2, COPYING", []byte("MIT\n"))
	found.add("a", "k v3, NOTICE", []byte("Notice\n"))
	var text bytes.Buffer
	found.write(&text)
	rule := "\n" + strings.Repeat("=", 80) + "\n\n"
	if want := rule + "k v3, NOTICE (in a)\n\nNotice\n" + rule + "l v2, COPYING (in a)\nm v1, LICENSE (in a, b)\n\nMIT\n"; text.String() != want {
		t.Errorf("%s\nwant %s", text.String(), want)
	}
}

// TestLicensesOfAPackage looks in the directory of a package and above it, up to its module's.
func TestLicensesOfAPackage(t *testing.T) {
	outside := t.TempDir()
	module := filepath.Join(outside, "module")
	for _, name := range []string{"LICENSE", "module/COPYING", "module/license.go", "module/a/NOTICE.txt", "module/a/b/b.go", "module/c/LICENSE"} {
		file := filepath.Join(outside, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	found := legals{}
	if n, err := found.directories("p", "m v1", filepath.Join(module, "a", "b"), module); n != 2 || err != nil {
		t.Errorf("%d texts, %v", n, err)
	}
	var text bytes.Buffer
	found.write(&text)
	for name, want := range map[string]bool{"m v1, COPYING": true, "m v1, a/NOTICE.txt": true, "license.go": false, "c/LICENSE": false} {
		if got := strings.Contains(text.String(), name); got != want {
			t.Errorf("%s: %v, want %v:\n%s", name, got, want, text.String())
		}
	}
	const want = "the module b v1 has no file with a licence: nobody may distribute it"
	if err := allLicensed(map[string]bool{"a v1": true, "c v1": false, "b v1": false}); err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}

func TestPartsHaveTheVersionsOfTheLockFile(t *testing.T) {
	inRepository(t)
	lock, err := os.ReadFile("sdk/javascript/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := checkParts(lock); err != nil {
		t.Error(err)
	}
	const want = "package-lock.json has quickjs-wasi 9.9.9, and deploy/release/parts.go 3.6.2: correct parts.go, and the version of QuickJS in quickjs-wasi"
	if err := checkParts(bytes.ReplaceAll(lock, []byte(`"3.6.2"`), []byte(`"9.9.9"`))); err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}

// TestPackagesCarryTheLicence holds that each SDK has the text of the licence that its package.json
// or Cargo.toml names, and that all are the same.
func TestPackagesCarryTheLicence(t *testing.T) {
	inRepository(t)
	own, err := os.ReadFile("sdk/LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	for _, language := range sdk.Languages() {
		files, err := sdk.Files(language)
		if err != nil {
			t.Fatal(err)
		}
		text, err := files.Open("LICENSE")
		if err != nil {
			t.Errorf("%s: %v", language, err)
			continue
		}
		var content bytes.Buffer
		if _, err := content.ReadFrom(text); err != nil || !bytes.Equal(content.Bytes(), own) {
			t.Errorf("sdk/%s/LICENSE differs from sdk/LICENSE (%v)", language, err)
		}
	}
}
