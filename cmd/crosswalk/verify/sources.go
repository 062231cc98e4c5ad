package verify

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/input"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/modules"
	"github.com/crosswalk-gateway/crosswalk/host/schema"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// sources are the modules, objects and definitions that a command line names. A command reads them before
// it compiles the first module, which takes seconds.
type sources struct {
	files       []string          // of the modules
	objects     []json.RawMessage // of -f
	definitions []definition.File // of -f
	named       string            // the file of --crd
	kinds       []kindFiles       // of the modules, in their order
}

// kindFiles are the modules of one kind.
type kindFiles struct {
	kind  string // <Kind>.<group>
	files []string
}

// readSources finds the modules of arguments, and reads the objects and definitions of -f and, with --crd, the
// definitions of the modules.
func readSources(s command.Streams, args, given []string, named string) (r *sources, err error) {
	r = &sources{named: named}
	if r.files, err = modules.Files(args); err != nil {
		return nil, err
	}
	for _, file := range r.files {
		name, err := artifact.ParseName(filepath.Base(file))
		if err != nil {
			return nil, err
		}
		kind := name.Kind + "." + name.Group
		i := slices.IndexFunc(r.kinds, func(k kindFiles) bool { return k.kind == kind })
		if i < 0 {
			i = len(r.kinds)
			r.kinds = append(r.kinds, kindFiles{kind: kind})
		}
		r.kinds[i].files = append(r.kinds[i].files, file)
	}
	if err := r.read(s, given); err != nil {
		return nil, err
	}
	if err := modules.CheckGiven(r.files, r.objects); err != nil {
		return nil, err
	}
	for _, k := range r.kinds {
		if named != "" {
			if _, err := r.definition(k.files...); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// read reads -f.
func (r *sources) read(s command.Streams, given []string) error {
	all, err := input.Read(s.In, given)
	if err != nil {
		return err
	}
	for _, object := range all {
		var head struct{ Kind string }
		if json.Unmarshal(object.JSON, &head) != nil || !strings.HasSuffix(head.Kind, "ResourceDefinition") {
			r.objects = append(r.objects, object.JSON)
			continue
		}
		more, err := definition.Read(object.JSON)
		if err != nil {
			return fmt.Errorf("%s: %w", object.From, err)
		}
		for _, d := range more {
			schemas, err := schema.Parse(d.Text)
			if rejected := d.Accepted(); rejected != nil {
				err = rejected
			}
			if err != nil {
				return fmt.Errorf("%s: %s: %w", object.From, d.Kind(), err)
			}
			r.definitions = append(r.definitions, definition.File{Definition: d, Schemas: schemas, Path: object.From})
		}
	}
	return nil
}

// of returns the modules of a kind (<Kind>.<group>).
func (r *sources) of(kind string) []string {
	for _, k := range r.kinds {
		if k.kind == kind {
			return k.files
		}
	}
	return nil
}

// definition returns the definition of the kind of some modules: the one of --crd, one of -f, or one beside
// the modules; the zero value if there is none.
func (r *sources) definition(files ...string) (d definition.File, err error) {
	for _, file := range files {
		name, err := artifact.ParseName(filepath.Base(file))
		if err != nil {
			return d, err
		}
		for _, given := range r.definitions {
			if r.named == "" && given.Kind() == name.Kind+"."+name.Group {
				return given, nil
			}
		}
		if d, err = modules.Definition(name.Kind, name.Group, file, r.named); err != nil || d.Schemas != nil {
			return d, err
		}
	}
	return d, nil
}
