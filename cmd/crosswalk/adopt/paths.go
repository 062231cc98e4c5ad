package adopt

import (
	goversion "go/version"
	"os"
	"path/filepath"
	"strings"
)

// isPath reports whether a pattern is a directory and not an import path.
func isPath(pattern string) bool {
	return pattern == "." || pattern == ".." || strings.HasPrefix(pattern, "./") || strings.HasPrefix(pattern, "../") || filepath.IsAbs(pattern)
}

// trimDots returns the directory of a pattern such as ./api/...
func trimDots(pattern string) string {
	return filepath.Clean(strings.TrimSuffix(pattern, "..."))
}

func absolute(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return name
}

// under returns a path that may be relative to a directory.
func under(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, filepath.FromSlash(name))
}

// nearest returns the directory with a file, beginning at dir and going up; "" if there is none.
func nearest(dir, file string) string {
	for dir = absolute(dir); ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(filepath.Join(dir, file)); err == nil && info.Mode().IsRegular() {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// outermost returns the directory of a repository's first go.mod on the way down to dir.
func outermost(dir string) string {
	for at := absolute(dir); ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			dir = at
		}
		if _, err := os.Stat(filepath.Join(at, ".git")); err == nil || at == filepath.Dir(at) {
			return dir
		}
	}
}

// laterGo returns the later of two versions of Go, as go.mod has them.
func laterGo(a, b string) string {
	if goversion.Compare("go"+a, "go"+b) < 0 {
		return b
	}
	return a
}
