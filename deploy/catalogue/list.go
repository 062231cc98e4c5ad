package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// operator is one operator of the list.
type operator struct {
	Name    string   `yaml:"name"`
	Version string   `yaml:"version"`
	Module  string   `yaml:"module"`   // the Go module with the packages
	Files   string   `yaml:"files"`    // the Go module with definitions and samples; default: Module
	Web     string   `yaml:"web"`      // the address of Files at the version, for links
	Package []string `yaml:"packages"` // below Module
	Kinds   []kind   `yaml:"kinds"`
	Retire  string   `yaml:"retire"` // Markdown: how to retire the operator's own webhook

	dir string // of the list
}

// kind is one kind of an operator.
type kind struct {
	Kind   string   `yaml:"kind"`
	Group  string   `yaml:"group"`
	CRD    string   `yaml:"crd"`    // in Files
	SetUp  string   `yaml:"setUp"`  // for crosswalk adopt --set-up; beside the list
	Accept []string `yaml:"accept"` // lines for adopt.lock
	Losses []loss   `yaml:"losses"`
}

// loss explains losses of the operator's own conversion by its text or code. It becomes an entry of
// the sidecar's lossy for each way and path.
type loss struct {
	Ways   []string `yaml:"ways"` // FROM→TO
	Class  string   `yaml:"class"`
	Paths  []string `yaml:"paths"`
	Reason string   `yaml:"reason"`
	Source string   `yaml:"source"` // file:line in Module or Files
	Quote  string   `yaml:"quote"`  // the text there
}

// arrow separates the versions of a way.
const arrow = "→"

// readList reads and checks a list.
func readList(file string) ([]*operator, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var list struct {
		Operators []*operator `yaml:"operators"`
	}
	d := yaml.NewDecoder(bytes.NewReader(content))
	d.KnownFields(true)
	if err := d.Decode(&list); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	names, kinds := map[string]bool{}, map[string]string{}
	for _, o := range list.Operators {
		o.dir = filepath.Dir(file)
		if o.Files == "" {
			o.Files = o.Module
		}
		if err := o.check(); err != nil {
			return nil, fmt.Errorf("%s: operator %q: %w", file, o.Name, err)
		}
		if names[o.page()] {
			return nil, fmt.Errorf("%s: operator %q is there twice: list its kinds together", file, o.Name)
		}
		names[o.page()] = true
		for _, k := range o.Kinds {
			name := k.Kind + "." + k.Group
			if other := kinds[name]; other != "" {
				return nil, fmt.Errorf("%s: %s is a kind of %s and of %s: a catalogue has each kind once, because its entries may share a directory; use a list of its own", file, name, other, o.Name)
			}
			kinds[name] = o.Name
		}
	}
	return list.Operators, nil
}

func (o *operator) check() error {
	switch {
	case o.Name == "" || o.Version == "" || o.Module == "" || len(o.Package) == 0 || len(o.Kinds) == 0:
		return errors.New("name, version, module, packages and kinds must be set")
	case strings.TrimSpace(o.Retire) == "":
		return errors.New("retire must say how to retire the operator's webhook")
	}
	for _, k := range o.Kinds {
		if k.Kind == "" || k.Group == "" || k.CRD == "" {
			return errors.New("each kind must have kind, group and crd")
		}
		for _, l := range k.Losses {
			if len(l.Ways) == 0 || len(l.Paths) == 0 || l.Reason == "" || l.Source == "" || l.Quote == "" {
				return fmt.Errorf("%s: each loss must have ways, paths, reason, source and quote", k.Kind)
			}
			for _, way := range l.Ways {
				if from, to, ok := strings.Cut(way, arrow); !ok || from == "" || to == "" {
					return fmt.Errorf("%s: the way %q of a loss must be FROM%sTO", k.Kind, way, arrow)
				}
			}
		}
	}
	return nil
}

// page is the name of the operator's page, without its ending.
func (o *operator) page() string { return strings.ReplaceAll(strings.ToLower(o.Name), " ", "-") }

// patterns are the packages as crosswalk adopt takes them.
func (o *operator) patterns() (list []string) {
	for _, p := range o.Package {
		list = append(list, strings.TrimSuffix(o.Module+"/"+p, "/")+"@"+o.Version)
	}
	return list
}
