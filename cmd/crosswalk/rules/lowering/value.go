package lowering

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/program"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
)

// ReadValue reads a value of any type.
func ReadValue(n *yaml.Node, r *syntax.Mistakes) program.Value {
	raw, err := plainyaml.AppendJSON(nil, n, plainyaml.JSONNumber)
	if err != nil {
		r.Wrong(n, err)
		return program.Value{Kind: program.Null, Text: "null"}
	}
	v := program.Value{Text: string(raw)}
	switch raw[0] {
	case 'n':
		v.Kind = program.Null
	case 't', 'f':
		v.Kind = program.Boolean
	case '"':
		v.Kind, v.Text = program.String, n.Value
	case '[':
		v.Kind = program.Array
	case '{':
		v.Kind = program.Object
	default:
		v.Kind = program.Number
	}
	if strings.ContainsRune(v.Text, 0) {
		r.At(n, "the value has a NUL character")
	}
	return v
}
