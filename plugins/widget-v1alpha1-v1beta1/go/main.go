// Command widget-v1alpha1-v1beta1 converts Widget.chain.example.com between v1alpha1 and v1beta1: a
// member gets another name, and a number that was a string becomes a number.
package main

import (
	"strconv"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
)

const (
	v1alpha1 = "chain.example.com/v1alpha1"
	v1beta1  = "chain.example.com/v1beta1"
)

func init() {
	crosswalk.Describe(crosswalk.Description{Name: "widget-v1alpha1-v1beta1", Version: "1.0.0", Licence: "Apache-2.0"})
	crosswalk.Register(v1alpha1, v1beta1, toBeta)
	crosswalk.Register(v1beta1, v1alpha1, toAlpha)
}

func main() {}

func toBeta(o *crosswalk.Object) error {
	count, ok, err := o.String("spec", "count")
	if err != nil {
		return err
	}
	if ok {
		replicas, err := strconv.ParseInt(count, 10, 64)
		if err != nil {
			return crosswalk.Errorf(".spec.count must be a whole number, but is %q", count)
		}
		o.Rename(crosswalk.Path{"spec", "count"}, "replicas")
		o.SetInt(crosswalk.Path{"spec", "replicas"}, replicas)
	}
	o.Rename(crosswalk.Path{"spec", "colour"}, "color")
	return nil
}

func toAlpha(o *crosswalk.Object) error {
	replicas, ok, err := o.Int("spec", "replicas")
	if err != nil {
		return err
	}
	if ok {
		o.Rename(crosswalk.Path{"spec", "replicas"}, "count")
		o.SetString(crosswalk.Path{"spec", "count"}, strconv.FormatInt(replicas, 10))
	}
	o.Rename(crosswalk.Path{"spec", "color"}, "colour")
	return nil
}
