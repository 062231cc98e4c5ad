package repository

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestUp(t *testing.T) {
	if got, want := slices.Collect(Up(filepath.FromSlash("/a/b"))), []string{"/a/b", "/a", "/"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for dir := range Up("/a/b") {
		if dir != "/a/b" {
			t.Errorf("%s comes after the end of the loop", dir)
		}
		break
	}
}

func TestIs(t *testing.T) {
	dir := t.TempDir()
	if Is(dir) {
		t.Error("a directory without .git is a repository")
	}
	if err := os.WriteFile(filepath.Join(dir, ".git"), []byte("gitdir: elsewhere"), 0o600); err != nil {
		t.Fatal(err)
	}
	if !Is(dir) {
		t.Error("a worktree is not a repository")
	}
}
