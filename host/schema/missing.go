package schema

// Missing lists the conversions that an API server may ask for and that no module provides. has
// reports whether there is a path from one version to another, directly or through others. The
// result is nil if nothing is missing, else sentences for people, in the order of the versions:
//
// v2 is served, and nothing converts v1 (storage) to v2
//
// An API server needs both directions between the storage version and every other served version,
// and the direction to the storage version from each version that is not served any more but may
// still be in storage. A conversion between two other served versions then has a path through the
// storage version.
func (c *CRD) Missing(has func(from, to string) bool) []string {
	var sentences []string
	storage := c.storage().Name
	for i := range c.Versions {
		v := &c.Versions[i]
		if v.Storage {
			continue
		}
		if v.Served && !has(storage, v.Name) {
			sentences = append(sentences, v.Name+" is served, and nothing converts "+storage+" (storage) to "+v.Name)
		}
		switch {
		case v.Served && !has(v.Name, storage):
			sentences = append(sentences, v.Name+" is served, and nothing converts "+v.Name+" to "+storage+" (storage)")
		case !v.Served && v.Stored && !has(v.Name, storage):
			sentences = append(sentences, v.Name+" is not served but may be stored, and nothing converts "+v.Name+" to "+storage+" (storage)")
		}
	}
	return sentences
}
