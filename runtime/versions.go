package runtime

import (
	"fmt"
	"maps"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// maxVersions bounds the versions of a kind in all of its modules together. Every two of them get a
// path of modules: 32 versions in a row take 5 MiB for it, 256 take 3 GiB, and both are a few files
// of 200 bytes. The kinds with the most versions known have some twenty.
const maxVersions = 32

// boundVersions rejects the files that would give their kind more versions than maxVersions. Files
// of serving modules come first, as their versions have been counted; the others follow in the
// order of their names. It returns the files that are left, and the bases of the others.
func (k known) boundVersions(chosen []*job, c *contents) (left []*job, rejected []string) {
	type kind struct{ group, kind string }
	counted := map[kind]map[string]bool{}
	union := func(name artifact.Name) (of kind, versions map[string]bool) {
		of = kind{name.Group, name.Kind}
		if versions = maps.Clone(counted[of]); versions == nil {
			versions = map[string]bool{}
		}
		for _, v := range name.Versions {
			versions[v] = true
		}
		return of, versions
	}
	for _, s := range k.slots {
		if s.serving != nil {
			of, versions := union(s.serving.FileName())
			counted[of] = versions
		}
	}
	left = slices.DeleteFunc(chosen, func(j *job) bool {
		of, versions := union(j.name)
		if j.denied == nil && len(versions) > maxVersions {
			c.rejected[j.name.File] = fmt.Sprintf("with it, the modules of %s.%s have %d versions; %d are allowed: take modules of old versions out of service", of.kind, of.group, len(versions), maxVersions)
			rejected = append(rejected, j.name.Base)
			return true
		}
		if j.denied == nil {
			counted[of] = versions
		}
		return false
	})
	return left, rejected
}
