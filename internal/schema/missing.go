package schema

// Missing says which conversions an API server may ask for and nobody can do. has says whether something converts from one version to
// another, directly or by way of others. The answer is nil if all is well, and else sentences for people, in the order of the versions:
//
//	v2 is served, and nothing converts v1 (storage) to v2
//
// Needed are both directions between the storage version and every other served version, and the direction to the storage version from
// one that is no longer served but may still be in storage. What else is asked for, from one served version to another, has a way through
// the storage version then.
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
