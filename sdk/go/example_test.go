package crosswalk_test

import (
	"fmt"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
)

func ExampleRegister() {
	crosswalk.Register("example.com/v1alpha1", "example.com/v1", func(o *crosswalk.Object) error {
		size, ok, err := o.Int("spec", "sizeMiB")
		if err != nil {
			return err
		}
		if ok {
			o.Rename(crosswalk.Path{"spec", "sizeMiB"}, "sizeBytes")
			o.SetInt(crosswalk.Path{"spec", "sizeBytes"}, size<<20)
		}
		return nil
	})

	convert := func(object string) {
		converted, err := crosswalk.Convert([]byte(object), "example.com/v1")
		fmt.Println(string(converted), err)
	}
	convert(`{"apiVersion":"example.com/v1alpha1","kind":"Disk","spec":{"sizeMiB":2,"id":9007199254740993}}`)
	convert(`{"apiVersion":"example.com/v1alpha1","kind":"Disk"}`)
	convert(`{"apiVersion":"example.com/v1alpha1","kind":"Disk","spec":{"sizeMiB":"2"}}`)
	// Output:
	// {"apiVersion":"example.com/v1","kind":"Disk","spec":{"sizeBytes":2097152,"id":9007199254740993}} <nil>
	// {"apiVersion":"example.com/v1","kind":"Disk"} <nil>
	//  .spec.sizeMiB must be an integer, but is a string
}

func ExampleValue_Elements() {
	o := crosswalk.Parse([]byte(`{"spec":{"ports":[{"number":80},{"number":443,"tls":true}]}}`))
	for i, port := range o.Elements("spec", "ports") {
		port.Rename(crosswalk.Path{"number"}, "port")
		port.SetString(crosswalk.Path{"name"}, fmt.Sprint("port-", i))
	}
	fmt.Println(text(o))
	// Output: {"spec":{"ports":[{"port":80,"name":"port-0"},{"port":443,"tls":true,"name":"port-1"}]}}
}

func ExampleValue_Members() {
	o := crosswalk.Parse([]byte(`{"spec":{"limits":{"cpu":"1","memory":null}}}`))
	for name, limit := range o.Members("spec", "limits") {
		if limit.Type() == crosswalk.TypeNull {
			limit.Remove()
			continue
		}
		limit.Rename(nil, "limits."+name)
	}
	fmt.Println(text(o))
	// Output: {"spec":{"limits":{"limits.cpu":"1"}}}
}

func ExampleValue_Move() {
	o := crosswalk.Parse([]byte(`{"spec":{"schedule":"daily","image":"i"}}`))
	o.Move(crosswalk.Path{"spec", "image"}, crosswalk.Path{"spec", "template", "image"})
	o.Move(crosswalk.Path{"spec", "absent"}, crosswalk.Path{"spec", "elsewhere"})
	fmt.Println(text(o))
	// Output: {"spec":{"schedule":"daily","template":{"image":"i"}}}
}

// An annotation can keep a field that the other version lacks, so that a conversion there and back loses nothing.
func ExampleObject_SetAnnotation() {
	const kept = "conversion.example.com/more-hosts"
	toOld := func(o *crosswalk.Object) {
		for i, host := range o.Elements("spec", "hosts") {
			name, _, _ := host.String()
			if i == 0 {
				o.SetString(crosswalk.Path{"spec", "host"}, name)
			} else {
				o.SetAnnotation(kept, name)
			}
		}
		o.Remove("spec", "hosts")
	}
	toNew := func(o *crosswalk.Object) {
		if host, ok, _ := o.String("spec", "host"); ok {
			o.AppendString(crosswalk.Path{"spec", "hosts"}, host)
			o.Remove("spec", "host")
		}
		if more, ok := o.Annotation(kept); ok {
			o.AppendString(crosswalk.Path{"spec", "hosts"}, more)
			o.RemoveAnnotation(kept)
		}
	}

	o := crosswalk.Parse([]byte(`{"metadata":{"name":"n"},"spec":{"hosts":["a","b"]}}`))
	toOld(o)
	old := text(o)
	fmt.Println(old)
	o = crosswalk.Parse([]byte(old))
	toNew(o)
	fmt.Println(text(o))
	// Output:
	// {"metadata":{"name":"n","annotations":{"conversion.example.com/more-hosts":"b"}},"spec":{"host":"a"}}
	// {"metadata":{"name":"n"},"spec":{"hosts":["a","b"]}}
}

func text(o *crosswalk.Object) string {
	out, err := o.AppendJSON(nil)
	if err != nil {
		return err.Error()
	}
	return string(out)
}
