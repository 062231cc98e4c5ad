package adopt

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/gocmd"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/project"
)

// TestAdoptNeedsGo tests the error for a machine without Go.
func TestAdoptNeedsGo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := project.LookAround(t.Context(), t.TempDir()); !errors.Is(err, gocmd.ErrNoGo) {
		t.Error(err)
	}
}

// TestRequirementsOfWorkspace has a package of the operator in a module of its own, which go.work
// names. The project's go.mod replaces it by its directory, because the project is built without
// go.work.
func TestRequirementsOfWorkspace(t *testing.T) {
	source := t.TempDir()
	if err := os.CopyFS(source, os.DirFS(testOperator)); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"api/shared/go.mod": "module example.com/operator/api/shared\n\ngo 1.24\n",
		"go.work":           "go 1.24\n\nuse (\n\t.\n\t./api/shared\n)\n",
	} {
		if err := gocmd.WriteFile(filepath.Join(source, filepath.FromSlash(name)), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	s, err := project.LookAround(context.Background(), source)
	if err != nil {
		t.Fatal(err)
	}
	p, err := operator.Load(context.Background(), operator.Workplace{Dir: source, Patterns: []string{"./api/v1", "./api/v2"}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Requirements(filepath.Join(s.Dir, "converter"), false, p)
	want := []project.Required{
		{Path: "example.com/operator", Version: "v0.0.0", Replacement: "..", Wildcard: true},
		{Path: "example.com/operator/api/shared", Version: "v0.0.0", Replacement: "../api/shared", Wildcard: true},
		{Path: gocmd.SDKModule, Version: "v0.0.0", Replacement: "./vendor/" + gocmd.SDKModule, Wildcard: true},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

// TestPackagesOfTwoModules loads packages of two modules of a repository, of which neither replaces
// the other, and a package of a module below the current directory.
func TestPackagesOfTwoModules(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"one/go.mod": "module example.com/one\n\ngo 1.24\n", "one/api/api.go": "package api\n",
		"two/go.mod": "module example.com/two\n\ngo 1.25\n", "two/api/api.go": "package api\n",
	} {
		if err := gocmd.WriteFile(filepath.Join(root, filepath.FromSlash(name)), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(root)
	for _, test := range []struct {
		patterns []string
		want     []string
	}{
		{[]string{"./one/api", "./two/api"}, []string{"example.com/one/api", "example.com/two/api"}},
		{[]string{"./two/..."}, []string{"example.com/two/api"}},
	} {
		w, err := operator.Local(t.Context(), test.patterns, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		p, err := operator.Load(t.Context(), w)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for path := range p.All {
			got = append(got, path)
		}
		if slices.Sort(got); !slices.Equal(got, test.want) {
			t.Errorf("%v: loaded %v, want %v", test.patterns, got, test.want)
		}
	}
	if _, err := operator.Local(t.Context(), []string{"./api"}, t.TempDir()); err == nil || err.Error() != "there is no go.mod for ./api: run crosswalk adopt in the operator's repository, or name packages as path@version" {
		t.Errorf("without a go.mod: %v", err)
	}
}
