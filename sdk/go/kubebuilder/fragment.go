package kubebuilder

import crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"

// maxProbes bounds the conversions that one fragment may cost beside its own. Fragments rarely say zero more than a few times;
// the zeros beyond are taken for unsaid, unless they keep their place.
const maxProbes = 32

// withholdUnsaid leaves out of result, which run made of a fragment, what the fragment did not say.
func withholdUnsaid(result, fragment *crosswalk.Object, run func([]byte) (*crosswalk.Object, error)) {
	nothing, err := run(onlyMetadata(fragment))
	if err != nil {
		return
	}
	// A zero in the result may be one that the fragment says, at another place. It is if it changes with it.
	var changed []crosswalk.Value
	for _, p := range probes(fragment.Value, nil, nil) {
		text, _ := fragment.Raw()
		other := crosswalk.Parse(text)
		other.SetRaw([]byte(p.value), p.path...)
		if text, err = other.AppendJSON(nil); err != nil {
			continue
		}
		if o, err := run(text); err == nil {
			changed = append(changed, o.Value)
		}
	}
	withhold(result.Value, nothing.Value, fragment.Value, changed)
}

// onlyMetadata returns the object without all but its apiVersion, kind and metadata.
func onlyMetadata(o *crosswalk.Object) []byte {
	text := []byte{'{'}
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		if raw, ok := o.Raw(name); ok {
			if len(text) > 1 {
				text = append(text, ',')
			}
			text = append(append(crosswalk.Quote(text, name), ':'), raw...)
		}
	}
	return append(text, '}')
}

// probe is a value to put in place of a zero.
type probe struct {
	path  []string
	value string
}

// probes appends one for each zero in v, an object at path. Lists are said or not as a whole.
func probes(v crosswalk.Value, path []string, to []probe) []probe {
	for name, member := range v.Members() {
		if len(path) == 0 && name == "metadata" {
			continue
		}
		at := append(path[:len(path):len(path)], name)
		if member.Type() == crosswalk.TypeObject {
			to = probes(member, at, to)
			continue
		}
		raw, _ := member.Raw()
		other, ok := map[string]string{"0": "1", "false": "true", `""`: `"x"`}[string(raw)]
		if ok && len(to) < maxProbes {
			to = append(to, probe{at, other})
		}
	}
	return to
}

// withhold deletes the members of result that nothing has alike, said does not have at all, and changed has alike too; all but
// result may be absent.
func withhold(result, nothing, said crosswalk.Value, changed []crosswalk.Value) {
	for name, member := range result.Members() {
		there, ok := nothing.Get(name)
		if !ok {
			continue
		}
		_, isSaid := said.Raw(name)
		a, _ := member.Raw()
		b, _ := there.Raw()
		inner := make([]crosswalk.Value, 0, len(changed))
		for _, other := range changed {
			if v, ok := other.Get(name); ok {
				inner = append(inner, v)
			}
			c, _ := other.Raw(name)
			isSaid = isSaid || string(c) != string(b)
		}
		switch {
		case string(a) == string(b) && !isSaid:
			member.Delete()
		case member.Type() == crosswalk.TypeObject && there.Type() == crosswalk.TypeObject:
			saidOfIt, _ := said.Get(name)
			withhold(member, there, saidOfIt, inner)
		}
	}
}
