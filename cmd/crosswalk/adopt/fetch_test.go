package adopt

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/gocmd"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/project"
)

// publish adds a module version to a directory in the form of a module proxy.
func publish(t *testing.T, dir, path, version string, tree fs.FS) {
	t.Helper()
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		w, err := z.Create(path + "@" + version + "/" + name)
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	})
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	mod, err := fs.ReadFile(tree, "go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{
		"list": []byte(version + "\n"), version + ".info": []byte(`{"Version":"` + version + `","Time":"2026-01-02T03:04:05Z"}`), version + ".mod": mod, version + ".zip": packed.Bytes(),
	} {
		if err := gocmd.WriteFile(filepath.Join(dir, filepath.FromSlash(path), "@v", name), text); err != nil {
			t.Fatal(err)
		}
	}
}

func tree(files map[string]string) fs.FS {
	all := fstest.MapFS{}
	for name, text := range files {
		all[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return all
}

// offline has go download from a directory only.
func offline(t *testing.T, dir string) {
	t.Helper()
	t.Setenv("GOPROXY", "file://"+filepath.ToSlash(dir))
	t.Setenv("GOMODCACHE", t.TempDir())
	t.Setenv("GOFLAGS", "-modcacherw") // for the removal of the directory
	t.Setenv("GONOSUMDB", "example.com")
}

// TestFetchTakesTheOperatorsGoMod has an operator that replaces a dependency by another version,
// excludes one, and replaces two modules of its repository by their directories, of which one is
// published, too.
func TestFetchTakesTheOperatorsGoMod(t *testing.T) {
	const dep = "package dep\n\ntype T struct{}\n"
	dir := t.TempDir()
	for _, version := range []string{"v1.0.0", "v1.1.0", "v1.2.0"} {
		publish(t, dir, "example.com/dep", version, tree(map[string]string{"go.mod": "module example.com/dep\n\ngo 1.24\n", "dep.go": dep}))
	}
	publish(t, dir, "example.com/op/api", "v1.5.0", tree(map[string]string{
		"go.mod": "module example.com/op/api\n\ngo 1.24\n\nrequire example.com/dep v1.0.0\n", "v1/v1.go": "package v1\n\nimport _ \"example.com/dep\"\n",
	}))
	publish(t, dir, "example.com/op", "v1.5.0", tree(map[string]string{
		"go.mod": "module example.com/op\n\ngo 1.24\n\nrequire (\n\texample.com/dep v1.0.0\n\texample.com/op/api v0.0.0-00010101000000-000000000000\n\texample.com/lost v0.0.0-00010101000000-000000000000\n)\n\n" +
			"replace (\n\texample.com/dep => example.com/dep v1.1.0\n\texample.com/op/api => ./api\n\texample.com/lost => ./lost\n\texample.com/other => example.com/dep v1.2.0\n)\n\nexclude example.com/dep v1.2.0\n",
		"v2/v2.go": "package v2\n\nimport (\n\t_ \"example.com/dep\"\n\t_ \"example.com/op/api/v1\"\n)\n",
		"v3/v3.go": "package v3\n\nimport _ \"example.com/lost\"\n",
	}))
	publish(t, dir, "example.com/lost", "v1.0.0", tree(map[string]string{"go.mod": "module example.com/lost\n\ngo 1.24\n", "lost.go": "package lost\n"}))
	offline(t, dir)
	t.Setenv("TMPDIR", t.TempDir())

	o := Options{Packages: []string{"example.com/op/v2@v1.5.0"}, Out: &bytes.Buffer{}}
	w, p, temporary, err := o.load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(temporary) }()
	if m := p.All["example.com/dep"].Module; m.Replace == nil || m.Replace.Version != "v1.1.0" {
		t.Errorf("the dependency is %+v, want the operator's v1.1.0", m)
	}
	if m := p.All["example.com/op/api/v1"].Module; m.Version != "v1.5.0" {
		t.Errorf("the operator's other module has the version %s, want v1.5.0", m.Version)
	}
	s, err := project.LookAround(t.Context(), w.Dir)
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.Requirements(temporary, true, p)
	if err == nil {
		err = project.WriteModule(filepath.Join(temporary, "out"), "example.com/op/crosswalk-demo", s, all, p, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, parts := range map[string][]string{
		"go.mod":             {"replace example.com/dep => example.com/dep v1.1.0\n", "replace example.com/other => example.com/dep v1.2.0\n", "exclude example.com/dep v1.2.0\n", "example.com/op/api v1.5.0\n"},
		"vendor/modules.txt": {"# example.com/dep v1.0.0 => example.com/dep v1.1.0\n", "\n# example.com/other => example.com/dep v1.2.0\n"},
	} {
		text, err := os.ReadFile(filepath.Join(temporary, "out", name))
		for _, part := range parts {
			if !strings.Contains(string(text), part) {
				t.Errorf("%s has no %q, %v:\n%s", name, part, err, text)
			}
		}
	}

	w, err = operator.Fetch(t.Context(), t.TempDir(), []string{"example.com/op/api/v1@v1.5.0"})
	if err != nil || strings.Join(w.Patterns, " ") != "example.com/op/api/v1" || len(w.Roots) != 2 {
		t.Errorf("a package of a module within another: %+v, %v", w, err)
	}
	for pattern, want := range map[string]string{
		"example.com/op/v3@v1.5.0": "example.com/op/v3 (v3.go:3) imports example.com/lost, and the operator's go.mod replaces the module example.com/lost by the directory ./lost, which the published module does not have: clone the operator's repository and run crosswalk adopt there",
		"example.com/op/v9@v1.5.0": "the package example.com/op/v9@v1.5.0 cannot be found: example.com/op/v9@v1.5.0 cannot be downloaded: example.com/op/v9@v1.5.0: reading file://" + filepath.ToSlash(dir) + "/example.com/op/v9/@v/v1.5.0.info: no such file or directory",
	} {
		o.Packages = []string{pattern}
		_, _, _, err := o.load(t.Context())
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %v\nwant %s", pattern, err, want)
		}
	}
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "crosswalk-adopt*")); err != nil || len(left) != 1 { // that of the first load
		t.Errorf("temporary files are left: %v, %v", left, err)
	}
}

// TestFetchSearchesTheRepository adopts packages of an API module whose operator's main is in the module
// around it, which has other version numbers, or nowhere.
func TestFetchSearchesTheRepository(t *testing.T) {
	const hash = "0123456789abcdef0123456789abcdef01234567"
	version := func(name, hub, convert string) string {
		return "// +groupName=op.example.com\npackage " + name + "\n\n" + hub + "\n\ntype TypeMeta struct{ Kind, APIVersion string }\n\ntype Disk struct {\n\tTypeMeta\n\tName string\n}\n\n" + convert
	}
	dir := t.TempDir()
	publish(t, dir, "example.com/op/api", "v0.3.0", tree(map[string]string{
		"go.mod":   "module example.com/op/api\n\ngo 1.24\n",
		"v2/v2.go": version("v2", "", "func (*Disk) Hub() {}\n"),
		"v1/v1.go": version("v1", "import \"example.com/op/api/v2\"\n\nvar Prefix string\n",
			"func (d *Disk) ConvertTo(hub any) error { hub.(*v2.Disk).Name = Prefix + d.Name; return nil }\n\nfunc (d *Disk) ConvertFrom(hub any) error { d.Name = hub.(*v2.Disk).Name; return nil }\n"),
	}))
	at := filepath.Join(dir, "example.com", "op")
	const pseudo = "v1.5.1-0.20260102030405-0123456789ab"
	publish(t, dir, "example.com/op", pseudo, tree(map[string]string{
		"go.mod":      "module example.com/op\n\ngo 1.24\n\nrequire example.com/op/api v0.3.0\n\nreplace (\n\texample.com/op/api => ./api\n\texample.com/op/tool => ./tool\n)\n",
		"cmd/main.go": "package main\n\nimport v1 \"example.com/op/api/v1\"\n\nfunc main() { v1.Prefix = \"a-\" }\n",
	}))
	publish(t, dir, "example.com/op/tool", "v0.0.0-20260102030405-0123456789ab", tree(map[string]string{"go.mod": "module example.com/op/tool\n\ngo 1.24\n", "tool.go": "package tool\n"}))
	offline(t, dir)
	for _, test := range []struct {
		info, want string
		roots      int
	}{
		{`{"Version":"v0.3.0"}`, "depends on what a main may set, and none was searched: example.com/op/api/v1.Prefix (v1/v1.go:6)", 1},
		{`{"Version":"v0.3.0","Origin":{"Hash":"` + hash + `"}}`, "depends on what the operator's main sets: example.com/op/api/v1.Prefix (v1/v1.go:6, set at cmd/main.go:5)", 3},
	} {
		t.Setenv("GOMODCACHE", t.TempDir())
		for name, text := range map[string]string{
			filepath.Join(at, "api", "@v", "v0.3.0.info"): test.info,
			filepath.Join(at, "@v", hash+".info"):         `{"Version":"` + pseudo + `","Time":"2026-01-02T03:04:05Z"}`,
			filepath.Join(at, "tool", "@v", hash+".info"): `{"Version":"v0.0.0-20260102030405-0123456789ab","Time":"2026-01-02T03:04:05Z"}`,
		} {
			if err := gocmd.WriteFile(name, []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		o := Options{Packages: []string{"example.com/op/api/v1@v0.3.0", "example.com/op/api/v2@v0.3.0"}, Out: &bytes.Buffer{}}
		w, p, temporary, err := o.load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(temporary) }()
		kinds, notes := discover.Find(p)
		if len(kinds) != 1 || len(w.Roots) != test.roots {
			t.Fatalf("%d kinds in %q, %q", len(kinds), w.Roots, notes)
		}
		if got := depends(t, p, kinds[0]); strings.Join(got, "\n") != test.want {
			t.Errorf("got  %q\nwant %s", got, test.want)
		}
	}
}
