package host

import "bytes"

// mixed is Outcome.From for objects of several versions.
const mixed = "mixed"

// source returns the index in sources of the version that the object is in. The first version
// without a path ends the review, so sources has at most as many entries as modules convert from
// versions.
func (v *conversion) source(routes *Routes, kind *kindRoutes, o *object) (int, *failure) {
	for i := range v.sources {
		if bytes.Equal(v.sources[i].apiVersion, o.apiVersion.value) {
			return i, nil
		}
	}
	_, version, _ := splitAPIVersion(o.apiVersion.value)
	from, to := string(version), string(v.version)
	knownFrom := kind.version(from)
	if len(v.sources) > 0 {
		knownFrom = mixed
	}
	v.outcome.From = knownFrom
	p := kind.chainBetween(from, to)
	if p == nil {
		group, kind := string(v.group), string(o.kind.value)
		v.outcome.Loading = v.converter.modules.Loading(group, kind)
		return 0, &failure{kind: FailureNoRoute, message: routes.Missing(group, kind, from, to, v.outcome.Loading)}
	}
	v.sources = append(v.sources, source{apiVersion: o.apiVersion.value, path: p})
	return len(v.sources) - 1, nil
}
