// Command widget-v1beta1-v1 converts Widget.chain.example.com between v1beta1 and v1: a member
// moves into an object of its own, and one host becomes a list. v1beta1 has room for one host only;
// the others are kept in an annotation there.
package main

import crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"

const (
	v1beta1 = "chain.example.com/v1beta1"
	v1      = "chain.example.com/v1"

	// moreHosts is the annotation that keeps, in v1beta1, the hosts after the first:
	// {"hosts":["b","c"]}.
	moreHosts = "conversion.chain.example.com/more-hosts"
)

func init() {
	crosswalk.Describe(crosswalk.Description{Name: "widget-v1beta1-v1", Version: "1.0.0", Licence: "Apache-2.0"})
	crosswalk.Register(v1beta1, v1, toV1)
	crosswalk.Register(v1, v1beta1, toBeta)
}

func main() {}

func toV1(o *crosswalk.Object) error {
	o.Move(crosswalk.Path{"spec", "color"}, crosswalk.Path{"spec", "appearance", "color"})
	host, ok, err := o.String("spec", "host")
	if err != nil {
		return err
	}
	if ok {
		o.AppendString(crosswalk.Path{"spec", "hosts"}, host)
	}
	o.Remove("spec", "host")
	more, kept := o.Annotation(moreHosts)
	if !kept {
		return nil
	}
	o.RemoveAnnotation(moreHosts)
	if !ok {
		return nil // the first host is gone, so the kept hosts are stale
	}
	list := crosswalk.Parse([]byte(more))
	for _, host := range list.Elements("hosts") {
		name, _, err := host.String()
		if err != nil {
			return crosswalk.Errorf("%s: %v", o.Location("metadata", "annotations", moreHosts), err)
		}
		o.AppendString(crosswalk.Path{"spec", "hosts"}, name)
	}
	if err := list.Err(); err != nil {
		return crosswalk.Errorf("%s: %v", o.Location("metadata", "annotations", moreHosts), err)
	}
	return nil
}

func toBeta(o *crosswalk.Object) error {
	if o.Move(crosswalk.Path{"spec", "appearance", "color"}, crosswalk.Path{"spec", "color"}) && isEmpty(o, "spec", "appearance") {
		o.Remove("spec", "appearance")
	}
	more := crosswalk.Parse([]byte(`{}`))
	count := 0
	for i, host := range o.Elements("spec", "hosts") {
		name, ok, err := host.String()
		switch {
		case err != nil:
			return err
		case !ok:
			return crosswalk.Errorf("%s must be a string, but is null", host.Location())
		case i == 0:
			o.SetString(crosswalk.Path{"spec", "host"}, name)
		default:
			more.AppendString(crosswalk.Path{"hosts"}, name)
		}
		count++
	}
	o.Remove("spec", "hosts")
	if count < 2 {
		o.RemoveAnnotation(moreHosts)
		return nil
	}
	kept, err := more.AppendJSON(nil)
	o.SetAnnotation(moreHosts, string(kept))
	return err
}

// isEmpty says that the object at path has no members.
func isEmpty(o *crosswalk.Object, path ...string) bool {
	for range o.Members(path...) {
		return false
	}
	return true
}
