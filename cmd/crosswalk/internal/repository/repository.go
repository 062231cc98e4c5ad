// Package repository finds the Git repository around a directory.
package repository

import (
	"iter"
	"os"
	"path/filepath"
)

// Up yields a directory and those above it, up to the root of the file system.
func Up(dir string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for yield(dir) && dir != filepath.Dir(dir) {
			dir = filepath.Dir(dir)
		}
	}
}

// Is reports whether a directory is the root of a repository: it has .git, which is a file in a
// worktree.
func Is(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil
}
