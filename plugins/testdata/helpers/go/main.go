// Command helpers calls the helpers in the object's .program, [name, object, argument…], where
// object is the path of the object whose members the keys among the arguments are. With the same
// module in every language, the shared vectors compare the SDKs. Between v3 and v4 it calls Lossless with
// the programs .forth and .back.
package main

import (
	"slices"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
)

func init() {
	crosswalk.Describe(crosswalk.Description{Name: "helpers", Version: "1.0.0"})
	crosswalk.Register("test.example.com/v1", "test.example.com/v2", run)
	forth, back := program("forth"), program("back")
	crosswalk.Register("test.example.com/v3", "test.example.com/v4", crosswalk.Lossless(forth, back))
	crosswalk.Register("test.example.com/v4", "test.example.com/v3", crosswalk.Lossless(back, forth))
}

func main() {}

func run(o *crosswalk.Object) error {
	if err := program("program")(o); err != nil {
		return err
	}
	o.Remove("program")
	return nil
}

// program returns a converter that runs the program at key.
func program(key string) crosswalk.Converter {
	return func(o *crosswalk.Object) error { return runProgram(o, key) }
}

func runProgram(o *crosswalk.Object, key string) error {
	for _, call := range o.Elements(key) {
		var name string
		var object crosswalk.Path
		var arguments []string
		var pairs crosswalk.Enum
		for i, part := range call.Elements() {
			switch {
			case i == 0:
				name, _, _ = part.String()
			case i == 1:
				object = texts(part)
			case part.Type() == crosswalk.TypeArray:
				pair := texts(part)
				pairs = append(pairs, [2]string{pair[0], pair[1]})
			default:
				text, _, _ := part.String()
				arguments = append(arguments, text)
			}
		}
		apply(o, name, object, arguments, pairs)
	}
	return nil
}

func apply(o *crosswalk.Object, name string, object crosswalk.Path, arguments []string, pairs crosswalk.Enum) {
	at := func(key string) crosswalk.Path { return append(slices.Clone(object), key) }
	path := at(arguments[0])
	rest := arguments[1:]
	switch name {
	case "split", "join", "splitlast", "joinlast":
		var others []crosswalk.Path
		for _, key := range rest[1:] {
			others = append(others, at(key))
		}
		joined := true
		switch name {
		case "split":
			o.Split(path, rest[0], others...)
		case "splitlast":
			o.SplitLast(path, rest[0], others...)
		case "join":
			joined = o.Join(path, rest[0], others...)
		case "joinlast":
			joined = o.JoinLast(path, rest[0], others...)
		}
		if !joined {
			o.SetBool(crosswalk.Path{"joined"}, false)
		}
	case "intfromstring":
		o.IntFromString(path)
	case "stringfromint":
		o.StringFromInt(path)
	case "splitlist":
		o.SplitList(path, rest[0])
	case "joinlist":
		o.JoinList(path, rest[0])
	case "listfrommap":
		o.ListFromMap(path, rest[0], rest[1])
	case "mapfromlist":
		o.MapFromList(path, rest[0], rest[1])
	case "translate":
		if !o.Translate(path, pairs) {
			o.SetBool(crosswalk.Path{"translated"}, false)
		}
	case "translateback":
		o.Translate(path, pairs.Back())
	case "removeifempty":
		o.RemoveIfEmpty(path...)
	case "default":
		o.DefaultRaw(path, []byte(rest[0]))
	}
}

// texts returns the strings in an array.
func texts(v crosswalk.Value) (out []string) {
	for _, e := range v.Elements() {
		text, _, _ := e.String()
		out = append(out, text)
	}
	return out
}
