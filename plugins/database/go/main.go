// Command database converts Database.db.example.com between v1beta1 and v1, which says much that
// v1beta1 has no fields for: it is kept in the stash while the object is in v1beta1.
package main

import crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"

const (
	v1beta1 = "db.example.com/v1beta1"
	v1      = "db.example.com/v1"
)

func init() {
	crosswalk.Describe(crosswalk.Description{Name: "database", Version: "1.0.0", Licence: "Apache-2.0"})
	crosswalk.Register(v1beta1, v1, toV1)
	crosswalk.Register(v1, v1beta1, toBeta)
}

func main() {}

// Paths of the fields that both v1 and v1beta1 have, in each version.
var (
	engine      = crosswalk.Path{"spec", "engine"}
	version     = crosswalk.Path{"spec", "version"}
	image       = crosswalk.Path{"spec", "image"} // v1beta1: engine and version
	size        = crosswalk.Path{"spec", "storage", "size"}
	storageSize = crosswalk.Path{"spec", "storageSize"} // v1beta1
	users       = crosswalk.Path{"spec", "users"}
)

func toBeta(o *crosswalk.Object) error {
	// The maintenance window was chosen for the database as a whole. TLS and the storage's class
	// have nothing to do with anything that v1beta1 knows. Roles go with the user they were given
	// to.
	o.Stash("spec", "maintenance")
	o.StashFor(crosswalk.Path{"spec", "tls"})
	o.StashFor(crosswalk.Path{"spec", "storage", "class"})
	o.Stash("status", "members")
	for _, user := range o.Elements(users...) {
		user.StashFor(crosswalk.Path{"roles"}, users)
		name, ok, err := user.String("name")
		if err != nil {
			return err
		}
		if !ok {
			return crosswalk.Errorf("%s must be there: v1beta1 has nothing else of a user", user.Location("name"))
		}
		user.SetString(nil, name)
	}
	if !o.Join(image, ":", engine, version) {
		o.StashFor(engine, image)
		o.StashFor(version, image)
	}
	o.Move(size, storageSize)
	if isEmpty(o, "spec", "storage") {
		o.Remove("spec", "storage")
	}
	return nil
}

func toV1(o *crosswalk.Object) error {
	o.Restore()
	for _, user := range o.Elements(users...) {
		name, ok, err := user.String()
		if err != nil {
			return err
		}
		if !ok {
			return crosswalk.Errorf("%s must be a string, but is null", user.Location())
		}
		user.SetRaw(nil, []byte(`{}`))
		user.SetString(crosswalk.Path{"name"}, name)
	}
	o.Split(image, ":", engine, version)
	o.Move(storageSize, size)
	return nil
}

// isEmpty says that there is an object without members at path.
func isEmpty(o *crosswalk.Object, path ...string) bool {
	if v, ok := o.Get(path...); !ok || v.Type() != crosswalk.TypeObject {
		return false
	}
	for range o.Members(path...) {
		return false
	}
	return true
}
