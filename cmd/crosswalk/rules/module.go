package rules

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/interpreter"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/lowering"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/program"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// Module returns the converter module.
func (f *File) Module() ([]byte, error) {
	program, err := f.program()
	if err != nil {
		return nil, err
	}
	return interpreter.Module(program)
}

// program returns the program for the interpreter.
func (f *File) program() ([]byte, error) {
	description, err := json.Marshal(struct {
		Language string `json:"language"`
		SDK      string `json:"sdk"`
		Name     string `json:"name"`
		Version  string `json:"version,omitempty"`
		Licence  string `json:"licence,omitempty"`
		Proof    *proof `json:"proof,omitempty"`
	}{"rules", "crosswalk-rules/1.0.0", f.Name, f.Release, f.Licence, f.proof})
	if err != nil {
		return nil, fmt.Errorf("the description: %w", err)
	}
	var fields [][2]string
	for _, v := range f.Versions {
		for _, p := range f.declared.Fields[v] {
			fields = append(fields, [2]string{f.Group + "/" + v, p.String()})
		}
		if f.declared.Fields != nil && len(f.declared.Fields[v]) == 0 {
			fields = append(fields, [2]string{f.Group + "/" + v, ""})
		}
	}
	return program.Encode(string(description), f.conversions, fields), nil
}

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

// Check reports the rules that name a field which the schema of its version does not have. has
// decides about a field, in the syntax of declared fields.
//
// # Errors
//
// One or more [Error], joined.
func (f *File) Check(has func(version, field string) bool) error {
	r := &syntax.Mistakes{}
	for _, s := range f.pairs {
		maps := mapsThatBecomeLists(s.Claims)
		for _, c := range s.Claims {
			p := c.Path
			for i, key := range p { // rules name the elements of the list in both versions; one has a map there
				if key == fieldpath.Elements && slices.ContainsFunc(maps[c.Side], c.Path[:i].Equal) {
					p = slices.Clone(p)
					p[i] = fieldpath.Members
				}
			}
			named := p
			for len(p) > 0 && fieldpath.IsEvery(p.Last()) { // a declaration ends with a field
				p = p.Parent()
			}
			if version := [2]string{s.From, s.To}[c.Side]; len(p) > 0 && !has(version, p.String()) {
				r.At(c.Rule.Node, "the schema of %s does not have %s: is it misspelt?", version, named)
			}
		}
	}
	return r.Err()
}

// mapsThatBecomeLists returns the paths of the maps on each side that are lists on the other.
func mapsThatBecomeLists(claims []lowering.Claim) (maps [2][]fieldpath.Path) {
	for _, c := range claims {
		if c.Rule.Verb.Name == "listFromMap" && c.Side == 0 || c.Rule.Verb.Name == "mapFromList" && c.Side == 1 {
			maps[c.Side] = append(maps[c.Side], c.Path)
		}
	}
	return maps
}
