// Package buildinfo names the build of a binary: its version and revision.
package buildinfo

import (
	"fmt"
	"runtime/debug"
)

// Set by the linker for releases (deploy/release), because a release is built before its tag
// exists. Other builds take them from the Go toolchain.
var (
	version  string
	revision string
)

// Build names the sources of a binary.
type Build struct {
	Version   string // a tag such as v0.1.0, a pseudo-version, "(devel)" or "unknown"
	Revision  string // of the repository, with "-modified" if the tree was changed; or "unknown"
	GoVersion string
}

// Read returns the build of this binary.
func Read() Build {
	b := Build{Version: "unknown", Revision: "unknown"}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.read(info)
	}
	if version != "" {
		b.Version = version
	}
	if revision != "" {
		b.Revision = revision
	}
	return b
}

func (b *Build) read(info *debug.BuildInfo) {
	b.GoVersion = info.GoVersion
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	modified := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			b.Revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = "-modified"
		}
	}
	b.Revision += modified
}

// String is the build in one line, as --version prints it after the program's name.
func (b Build) String() string {
	return fmt.Sprintf("%s, revision %s, %s", b.Version, b.Revision, b.GoVersion)
}
