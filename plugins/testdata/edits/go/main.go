// Command edits runs the list of edits in the object's .program, [name, path, argument…], on the
// object. With the same module in every language, a test compares the SDKs.
package main

import (
	"strconv"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
)

func init() {
	crosswalk.Describe(crosswalk.Description{Name: "edits", Version: "1.0.0"})
	crosswalk.Register("test.example.com/v1", "test.example.com/v2", run)
}

func main() {}

func run(o *crosswalk.Object) error {
	for _, edit := range o.Elements("program") {
		name, path, text, to := "", crosswalk.Path(nil), "", crosswalk.Path(nil)
		for i, part := range edit.Elements() {
			switch s, _, _ := part.String(); {
			case i == 0:
				name = s
			case i == 1:
				path = keys(part)
			case part.Type() == crosswalk.TypeArray:
				to = keys(part)
			default:
				text = s
			}
		}
		apply(o, name, path, text, to)
	}
	return nil
}

func apply(o *crosswalk.Object, name string, path crosswalk.Path, text string, to crosswalk.Path) {
	switch name {
	case "set":
		o.SetString(path, text)
	case "int":
		i, _ := strconv.ParseInt(text, 10, 64)
		o.SetInt(path, i)
	case "bool":
		o.SetBool(path, text == "true")
	case "raw":
		o.SetRaw(path, []byte(text))
	case "append":
		o.AppendString(path, text)
	case "appendraw":
		o.AppendRaw(path, []byte(text))
	case "delete":
		o.Remove(path...)
	case "rename":
		o.Rename(path, text)
	case "move":
		o.Move(path, to)
	case "read":
		if raw, ok := o.Raw(path...); ok {
			o.AppendString(crosswalk.Path{"out"}, string(raw))
		}
	case "string":
		s, ok, err := o.String(path...)
		o.AppendString(crosswalk.Path{"out"}, s+" "+strconv.FormatBool(ok)+" "+strconv.FormatBool(err != nil))
	case "number":
		i, ok, err := o.Int(path...)
		o.AppendString(crosswalk.Path{"out"}, strconv.FormatInt(i, 10)+" "+strconv.FormatBool(ok)+" "+strconv.FormatBool(err != nil))
	case "keys":
		if v, ok := o.Get(path...); ok && v.Type() == crosswalk.TypeObject {
			for key, member := range v.Members() {
				o.AppendString(crosswalk.Path{"out"}, key+" "+member.Location())
			}
		}
	case "elements":
		if v, ok := o.Get(path...); ok && v.Type() == crosswalk.TypeArray {
			for i, element := range v.Elements() {
				if i%2 == 1 {
					element.Remove()
				} else {
					element.SetString(nil, text)
				}
			}
		}
	}
}

// keys returns the strings in an array.
func keys(v crosswalk.Value) (path crosswalk.Path) {
	for _, e := range v.Elements() {
		key, _, _ := e.String()
		path = append(path, key)
	}
	return path
}
