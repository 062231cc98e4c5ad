package rules

import (
	"encoding/json"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/program"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// checkFields holds the declaration to the rules of docs/spec/abi.md.
func (f *File) checkFields(r *syntax.Mistakes) {
	if f.declared.Fields == nil {
		return
	}
	fields, count := map[string][]string{}, 0
	for _, v := range f.Versions {
		fields[v] = []string{}
		for _, p := range f.declared.Fields[v] {
			fields[v] = append(fields[v], p.String())
		}
		count += max(1, len(fields[v]))
	}
	if count > program.MaxFields {
		r.At(nil, "the rules name %d fields of at most %d: split them into several modules", count, program.MaxFields)
		return
	}
	name, err := artifact.ParseName(f.ModuleName())
	if err == nil {
		var description []byte
		if description, err = json.Marshal(map[string]any{"fields": fields}); err == nil {
			_, err = artifact.DescribedFields(name, description)
		}
	}
	if err != nil {
		r.At(nil, "the fields of the rules cannot be declared: %v", err)
	}
}
