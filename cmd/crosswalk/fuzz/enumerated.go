package fuzz

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/scope"
)

// enumerate tests every object of scope 0, 1, 2 and so on until Config.Scope, the end of its time, or a scope
// without objects. Objects with one choice have all fields of the schemas. Those with
// more have the declared fields of the modules, if each declares some, because they see no others.
func (f *fuzzer) enumerate(ctx context.Context) error {
	for choices := 0; choices <= f.cfg.Scope; choices++ {
		before := f.report.Objects
		if err := f.runStored(ctx, f.scope(ctx, choices)); err != nil {
			return err
		}
		made := f.report.Objects - before
		if made == 0 && choices > 1 { // no object has more choices
			return nil
		}
		f.report.Scopes = append(f.report.Scopes, made)
	}
	return nil
}

// scope returns the objects with so many choices of the versions that the modules convert, until ctx ends.
func (f *fuzzer) scope(ctx context.Context, choices int) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		for _, v := range f.versions {
			if len(v.targets) == 0 {
				continue
			}
			fields, whole := f.declared(v.Name)
			s := scope.New(v.Version, fields, whole || choices < 2)
			if s == nil {
				yield(nil, fmt.Errorf("the schema of %s is too large to try every small object", v.Name))
				return
			}
			for object := range s.Objects(ctx, choices) {
				text, err := json.Marshal(object)
				if !yield(text, err) || err != nil {
					return
				}
			}
		}
	}
}

// declared returns the fields of a version that the modules see; whole is true if one sees whole objects.
func (f *fuzzer) declared(version string) (fields []string, whole bool) {
	for _, m := range f.modules {
		all := m.Declared()
		whole = whole || all == nil
		fields = append(fields, all[version]...)
	}
	return fields, whole
}
