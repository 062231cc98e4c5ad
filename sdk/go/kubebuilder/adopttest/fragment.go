package adopttest

import "math/rand"

// fragment returns some of an object's members, as server-side apply converts them.
func (c *comparison) fragment(text []byte) ([]byte, error) {
	o, err := decodeObject(text)
	if err != nil {
		return nil, err
	}
	metadata, _ := o["metadata"].(map[string]any)
	annotated := c.r.Intn(2) == 0 // those of a manifest that was read from a cluster have them
	for name := range metadata {
		if name != "name" && name != "labels" && !(name == "annotations" && annotated) {
			delete(metadata, name)
		}
	}
	for name, member := range o {
		if name != "apiVersion" && name != "kind" && name != "metadata" {
			c.thin(member, 0.5)
		}
	}
	return encode(o), nil
}

// thin deletes members at random.
func (c *comparison) thin(v any, share float64) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range sortedKeys(v) {
			if v[name] == nil || c.r.Float64() < share {
				delete(v, name)
			} else {
				c.thin(v[name], share/2)
			}
		}
	case []any:
		for _, e := range v {
			c.thin(e, share/2)
		}
	}
}

// mutations returns the object without one of its members, and with null for it, for each of its
// paths up to a number of them.
func mutations(text []byte, most int, r *rand.Rand) (all [][]byte, err error) {
	if text == nil {
		return nil, nil
	}
	root, err := decodeObject(text)
	if err != nil {
		return nil, err
	}
	var walk func(v any, metadata bool)
	walk = func(v any, metadata bool) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range sortedKeys(v) {
				member := v[name]
				if member == nil || metadata && (name == "uid" || name == "name") {
					continue
				}
				walk(member, metadata)
				delete(v, name)
				all = append(all, encode(root))
				if !metadata {
					v[name] = nil
					all = append(all, encode(root))
				}
				v[name] = member
			}
		case []any:
			for _, e := range v {
				walk(e, metadata)
			}
		}
	}
	for _, name := range sortedKeys(root) {
		if name == "apiVersion" || name == "kind" {
			continue
		}
		walk(root[name], name == "metadata")
		if member := root[name]; name != "metadata" {
			delete(root, name)
			all = append(all, encode(root))
			root[name] = member
		}
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(len(all), 2*most)], nil
}
