package watch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// maxLinks is how many symbolic links a path may lead through, as in the Linux kernel.
const maxLinks = 40

// watchPoints returns the target of a path to a directory, and the directories whose events can
// mean that the path leads elsewhere: the directory itself; its parent, where it may be removed,
// created or replaced; and the directory of each symbolic link on the path, because that is where
// the link is switched (git-sync and similar tools switch a link above the directory). If the
// directory does not exist, its nearest existing ancestor replaces the parent.
func watchPoints(path string) (resolved string, points []string) {
	path = filepath.Clean(path)
	at := filepath.VolumeName(path) + string(filepath.Separator)
	rest := components(path[len(filepath.VolumeName(path)):])
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		if name == ".." {
			at = filepath.Dir(at)
			continue
		}
		target, err := os.Readlink(filepath.Join(at, name))
		if err != nil || links == maxLinks { // a directory, or a path that ends here
			at = filepath.Join(at, name)
			continue
		}
		links++
		points = append(points, at)
		if filepath.IsAbs(target) {
			at = filepath.VolumeName(target) + string(filepath.Separator)
			target = target[len(filepath.VolumeName(target)):]
		}
		rest = append(components(target), rest...)
	}
	parent := filepath.Dir(at)
	for !exists(parent) && parent != filepath.Dir(parent) {
		parent = filepath.Dir(parent)
	}
	points = append(points, parent)
	if exists(at) {
		points = append(points, at)
	}
	slices.Sort(points)
	return at, slices.Compact(points)
}

func components(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == filepath.Separator })
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// A gateway with a directory for each of several owners names a file OWNER/FILE, in its log, its
// metrics and its messages. No file's own name has a slash.

var ownerShape = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

// IsOwner reports whether a text can be an owner's name: a DNS-1123 label, like a namespace's name.
func IsOwner(name string) bool { return ownerShape.MatchString(name) }

// SplitOwner splits the name of a file into its owner, which is empty without owners, and its name
// within the owner's directory.
func SplitOwner(file string) (owner, name string) {
	i := strings.LastIndexByte(file, '/')
	return file[:max(i, 0)], file[i+1:]
}

// JoinOwner is the opposite of SplitOwner.
func JoinOwner(owner, name string) string {
	if owner == "" {
		return name
	}
	return owner + "/" + name
}
