package runtime

import (
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// maxVersions bounds the versions of a kind in all of its modules together. Every two of them get a
// path of modules: 32 versions in a row take 5 MiB for it, 256 take 3 GiB, and both are a few files
// of 200 bytes. The kinds with the most versions known have some twenty.
const maxVersions = 32

// checkVersions returns an error if a module would give its kind more versions than maxVersions,
// beside the modules that serve. Other files do not count: a name alone takes no place from a module
// that loads.
func checkVersions(entries map[string]*entry, name artifact.Name) error {
	if s := entries[name.Base]; s != nil && s.serving != nil {
		return nil // its versions are counted
	}
	versions := map[string]bool{}
	count := func(of artifact.Name) {
		if of.Group == name.Group && of.Kind == name.Kind {
			for _, v := range of.Versions {
				versions[v] = true
			}
		}
	}
	count(name)
	for _, s := range entries {
		if s.serving != nil {
			count(s.serving.FileName())
		}
	}
	if len(versions) > maxVersions {
		return fmt.Errorf("with it, the modules of %s.%s have %d versions; %d are allowed: take modules of old versions out of service", name.Kind, name.Group, len(versions), maxVersions)
	}
	return nil
}
