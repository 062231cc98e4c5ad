// Command edits does what the object says: it runs the list of edits in .program, [name, path, argument…], on the object.
// The same module in every language lets a test compare the SDKs.
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
		o.SetString(text, path...)
	case "int":
		i, _ := strconv.ParseInt(text, 10, 64)
		o.SetInt(i, path...)
	case "bool":
		o.SetBool(text == "true", path...)
	case "raw":
		o.SetRaw([]byte(text), path...)
	case "append":
		o.AppendString(text, path...)
	case "appendraw":
		o.AppendRaw([]byte(text), path...)
	case "delete":
		o.Delete(path...)
	case "rename":
		o.Rename(text, path...)
	case "move":
		o.Move(path, to)
	case "read":
		if raw, ok := o.Raw(path...); ok {
			o.AppendString(string(raw), "out")
		}
	case "string":
		s, ok, err := o.String(path...)
		o.AppendString(s+" "+strconv.FormatBool(ok)+" "+strconv.FormatBool(err != nil), "out")
	case "number":
		i, ok, err := o.Int(path...)
		o.AppendString(strconv.FormatInt(i, 10)+" "+strconv.FormatBool(ok)+" "+strconv.FormatBool(err != nil), "out")
	case "keys":
		if v, ok := o.Get(path...); ok && v.Type() == crosswalk.TypeObject {
			for key, member := range v.Members() {
				o.AppendString(key+" "+member.Location(), "out")
			}
		}
	case "elements":
		if v, ok := o.Get(path...); ok && v.Type() == crosswalk.TypeArray {
			for i, element := range v.Elements() {
				if i%2 == 1 {
					element.Delete()
				} else {
					element.SetString(text)
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
