package watch

import (
	"regexp"
	"strings"
)

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
