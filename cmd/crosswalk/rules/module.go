package rules

import (
	"encoding/json"
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/interpreter"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/program"
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
