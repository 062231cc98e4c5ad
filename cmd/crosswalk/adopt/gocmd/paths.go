package gocmd

import (
	goversion "go/version"
	"os"
	"path/filepath"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/repository"
)

// IsPath reports whether a pattern is a directory and not an import path.
func IsPath(pattern string) bool {
	return pattern == "." || pattern == ".." || strings.HasPrefix(pattern, "./") || strings.HasPrefix(pattern, "../") || filepath.IsAbs(pattern)
}

// TrimDots returns the directory of a pattern such as ./api/...
func TrimDots(pattern string) string {
	return filepath.Clean(strings.TrimSuffix(pattern, "..."))
}

// Absolute returns a path from the root; the path itself if the working directory is not known.
func Absolute(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return name
}

// Under returns a path that may be relative to a directory.
func Under(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, filepath.FromSlash(name))
}

// Nearest returns the directory with a file, beginning at dir and going up; "" if there is none.
func Nearest(dir, file string) string {
	for at := range repository.Up(Absolute(dir)) {
		if info, err := os.Stat(filepath.Join(at, file)); err == nil && info.Mode().IsRegular() {
			return at
		}
	}
	return ""
}

// Outermost returns the directory of a repository's first go.mod on the way down to dir.
func Outermost(dir string) string {
	for at := range repository.Up(Absolute(dir)) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			dir = at
		}
		if repository.Is(at) {
			break
		}
	}
	return dir
}

// LaterGo returns the later of two versions of Go, as go.mod has them.
func LaterGo(a, b string) string {
	if goversion.Compare("go"+a, "go"+b) < 0 {
		return b
	}
	return a
}

// ShortPath returns a path below the working directory without it.
func ShortPath(name string) string {
	if here, err := os.Getwd(); err == nil {
		if short, err := filepath.Rel(here, name); err == nil && filepath.IsLocal(short) {
			return short
		}
	}
	return name
}

// Relative returns the path from one directory to another as go.mod has it: with slashes, and with ./ or
// ../ first.
func Relative(from, to string) (string, error) {
	path, err := filepath.Rel(from, to)
	if err == nil && !strings.HasPrefix(path, ".") {
		path = "./" + path
	}
	return filepath.ToSlash(path), err
}
