package rules

import (
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/lowering"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/program"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
)

// File is a rules file that has been read, checked and compiled.
type File struct {
	syntax.File
	pairs       []*lowering.Pair
	conversions []program.Conversion
	declared    lowering.Declaration
	proof       *proof // that the module states; nil: none
}

// Parse reads and checks a rules file.
//
// # Errors
//
// One or more [Error] with the line and the column, joined.
func Parse(content []byte) (*File, error) {
	r := &syntax.Mistakes{}
	read, err := syntax.Read(content, r)
	if err != nil {
		return nil, err
	}
	f := &File{File: *read}
	if !r.Any() {
		f.compile(r)
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

// proof is the digests of proved rules, and of the schemas that they were proved for.
type proof struct {
	Rules   string `json:"rules"`
	Schemas string `json:"schemas"`
	Limits  int    `json:"limits,omitempty"`
	Carries string `json:"carries,omitempty"`
}

// StateProof has the module state that its rules are proved, with so many limits, and how many
// fields they carry.
func (f *File) StateProof(rules, schemas string, limits int, carries string) {
	f.proof = &proof{rules, schemas, limits, carries}
}
