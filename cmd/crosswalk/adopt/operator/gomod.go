package operator

import "strings"

// GoMod is the output of go mod edit -json.
type GoMod struct {
	Module  struct{ Path string }
	Go      string
	Require []moduleVersion
	Exclude []moduleVersion
	Replace []Replace
}

type moduleVersion struct{ Path, Version string }

// Replace is a directive of go.mod. Of a directory, New has no version.
type Replace struct{ Old, New moduleVersion }

// Left returns the left side of the directive.
func (r Replace) Left() string { return strings.TrimSpace(r.Old.Path + " " + r.Old.Version) }
