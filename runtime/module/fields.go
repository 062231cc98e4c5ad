package module

import (
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/internal/projection"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// declare stores the fields in the module's own description. Its sidecar may then not have fields.
func (f *facts) declare(description []byte) error {
	own, err := artifact.DescribedFields(f.name, description)
	switch {
	case err != nil:
		return err
	case own != nil && f.sidecar.Fields != nil:
		return fmt.Errorf("the module declares its fields itself: leave fields out of %s", f.sidecar.File)
	case own != nil:
		f.declared = own
	}
	return nil
}

// Fields returns the paths of the fields that the module declares for a conversion between two
// versions, those of both. It returns nil for a module that sees whole objects.
func (f *facts) Fields(from, to string) []string {
	if f.declared == nil {
		return nil
	}
	return append(append(make([]string, 0, len(f.declared[from])+len(f.declared[to])), f.declared[from]...), f.declared[to]...)
}

// Declared returns the paths of the fields that the module declares, by version; nil for a module
// that sees whole objects. The caller must not change them.
func (f *facts) Declared() map[string][]string { return f.declared }

// View returns the part of an object that the module sees.
func (f *facts) View(e artifact.Edge, object []byte) []byte {
	if f.declared == nil {
		return object
	}
	fields, err := projection.Parse(f.Fields(e.From, e.To))
	if err != nil {
		panic("fields that were checked: " + err.Error())
	}
	view, _ := projection.View(nil, object, fields.Read(nil, object))
	return view
}
