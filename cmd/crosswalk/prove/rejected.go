package prove

import (
	"slices"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz"
)

// Rejected are fields of converted objects that the schema of a version rejects. They contradict no
// proof, because an API server does not validate what it converts, and a client that edits such an
// object has to mend it.
type Rejected struct {
	Version string   `json:"version"`
	Paths   []string `json:"paths"`
}

// rejectedIn returns the rejections among findings, by version in the order of the versions.
func rejectedIn(versions []string, findings []fuzz.Finding) []Rejected {
	all := []Rejected{}
	for _, version := range versions {
		var paths []string
		for _, f := range findings {
			if f.Property == fuzz.Rejected && f.To == version {
				paths = append(paths, f.Path)
			}
		}
		if slices.Sort(paths); len(paths) > 0 {
			all = append(all, Rejected{version, slices.Compact(paths)})
		}
	}
	return all
}
