package crosswalk

import "strconv"

// declaration lists the declared fields of one version.
type declaration struct {
	apiVersion string
	paths      []string
}

// Fields declares the fields that the module reads and writes of objects in an apiVersion
// ("group/version"). The gateway then shows the module only the declared fields of the two versions
// of a conversion, and lets it change only these; it copies the rest of the object byte for byte.
// Call Fields in init, beside [Register], once for each version. A version without fields that the
// module reads or writes needs an empty list.
//
//	crosswalk.Fields("example.com/v1", "spec.size", "spec.disks[].name", "metadata.annotations['example.com/kept']")
//	crosswalk.Fields("example.com/v2", "spec.capacity", "spec.disks[].label")
//
// A path declares a value with everything in it. It consists of names and dots, ['any name'], []
// for every element of an array, and .* for every member of an object; the gateway's docs/spec/abi.md
// has the rules. Declare a list as a whole if the module adds, removes or sorts its elements.
//
// [Object.IsFragment] and the defaults read metadata.uid; [Value.Stash] writes the annotation
// conversion.<group>/stash. A module that calls them must declare these fields, and is refused with
// a message otherwise.
//
// [Convert] and the package crosswalktest also enforce a module's declaration and report wrong
// paths.
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

// fieldsOf returns the declared paths of a version; ok is false if there is no declaration, not
// even an empty list.
func (r *registry) fieldsOf(apiVersion string) (paths []string, ok bool) {
	for _, d := range r.declared {
		if d.apiVersion == apiVersion {
			return d.paths, true
		}
	}
	return nil, false
}

// shown reports whether one of the paths is declared, in this exact spelling, for the current
// conversion, or whether the module sees whole objects.
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

// versionOf returns the version of "group/version", or "" for a string without that form.
func versionOf(apiVersion string) string {
	for i := range len(apiVersion) {
		if apiVersion[i] == '/' {
			return apiVersion[i+1:]
		}
	}
	return ""
}

// describe returns the module's description as JSON.
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
