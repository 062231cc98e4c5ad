package crosswalk

import "strconv"

// declaration is the fields of one version.
type declaration struct {
	apiVersion string
	paths      []string
}

// Fields declares the fields that the module reads and writes of objects in an apiVersion ("group/version"). Once it is called, the
// gateway shows the module these fields only, those of the version it converts from and of the one it converts to, and lets it change
// these only; everything else of an object passes the module by, byte for byte. It is meant to be called in init, beside [Register],
// once for each version; a version of which nothing is read or written needs an empty list.
//
//	crosswalk.Fields("example.com/v1", "spec.size", "spec.disks[].name", "metadata.annotations['example.com/kept']")
//	crosswalk.Fields("example.com/v2", "spec.capacity", "spec.disks[].label")
//
// A path leads to a value, which is declared with all that is in it: names and dots, ['any name'], [] for every element of an array, .* for
// every member of an object. docs/abi.md of the gateway has the rules. A list whose elements the module adds, removes or sorts must be
// declared as a whole.
//
// What tells a fragment from an object, for [Object.IsFragment] and the defaults, is metadata.uid; what [Value.Stash] keeps is in the annotation
// conversion.<group>/stash. A module that uses them declares them, and is told if it forgot.
//
// [Convert] and the package crosswalktest hold a module to its declaration, too, and say what is wrong with a path.
func Fields(apiVersion string, paths ...string) { module.declare(apiVersion, paths) }

func (r *registry) declare(apiVersion string, paths []string) {
	if versionOf(apiVersion) == "" {
		panic("crosswalk: fields are declared for an apiVersion such as example.com/v1, not for " + strconv.Quote(apiVersion))
	}
	for _, d := range r.declared {
		if d.apiVersion == apiVersion {
			panic("crosswalk: the fields of " + apiVersion + " are declared twice")
		}
	}
	r.declared = append(r.declared, declaration{apiVersion, paths})
}

// fieldsOf returns the paths of a version; ok is false if none were declared, not even an empty list.
func (r *registry) fieldsOf(apiVersion string) (paths []string, ok bool) {
	for _, d := range r.declared {
		if d.apiVersion == apiVersion {
			return d.paths, true
		}
	}
	return nil, false
}

// shown says whether one of the paths is declared for the conversion in hand, just as it is written here, or everything is shown.
func (s *stash) shown(paths ...string) bool {
	if s == nil || len(s.declared) == 0 {
		return true
	}
	for _, d := range s.declared {
		if d.apiVersion != s.from && d.apiVersion != s.to {
			continue
		}
		for _, have := range d.paths {
			for _, path := range paths {
				if have == path {
					return true
				}
			}
		}
	}
	return false
}

// versionOf returns the version of "group/version"; "" if it has not that form.
func versionOf(apiVersion string) string {
	for i := range len(apiVersion) {
		if apiVersion[i] == '/' {
			return apiVersion[i+1:]
		}
	}
	return ""
}

// describe returns what the module says of itself.
func (r *registry) describe() []byte {
	if len(r.declared) == 0 {
		return description
	}
	out := append(description[:len(description)-1:len(description)-1], `,"fields":{`...)
	for i, d := range r.declared {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(Quote(out, versionOf(d.apiVersion)), ":["...)
		for j, path := range d.paths {
			if j > 0 {
				out = append(out, ',')
			}
			out = Quote(out, path)
		}
		out = append(out, ']')
	}
	return append(out, "}}"...)
}
