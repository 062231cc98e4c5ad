package definition

import (
	"bytes"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/yamlfile"
	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
)

// Lines finds the lines of fields of a definition in its file.
type Lines struct {
	before int        // lines of the file before the definition
	root   *yaml.Node // nil if the file does not have the definition as it is
}

// Lines returns the lines of a definition in a file.
func (d *Definition) Lines(file []byte) *Lines {
	at := bytes.Index(file, d.Text)
	if at < 0 {
		return &Lines{} // a CompositeResourceDefinition, of which Text is made
	}
	root, err := plainyaml.Parse(d.Text, plainyaml.Limits{Bytes: maxFile, Nodes: maxFile / 8, Depth: maxLevels})
	if err != nil {
		return &Lines{}
	}
	return &Lines{bytes.Count(file[:at], []byte("\n")), root}
}

// Of returns the line of a field in the schema of a version, or of the innermost value around it
// that the definition has. Steps are the names of fields, [] for the elements of lists, and * for
// the values of maps.
func (l *Lines) Of(version string, steps []string) int {
	if l.root == nil {
		return 1
	}
	line, at := l.root.Line, l.root
	down := func(names ...string) bool {
		for _, name := range names {
			key, value := member(at, name)
			if key == nil {
				return false
			}
			line, at = key.Line, value
		}
		return true
	}
	if !down("spec") || version == "" || !down("versions") {
		return l.before + line
	}
	for _, v := range at.Content {
		if yamlfile.Text(v, "name") != version {
			continue
		}
		line, at = v.Line, v
		if len(steps) == 0 || !down("schema", "openAPIV3Schema") {
			break
		}
		for _, step := range steps {
			within := []string{"properties", step}
			switch step {
			case "[]":
				within = []string{"items"}
			case "*":
				within = []string{"additionalProperties"}
			}
			if !down(within...) {
				break
			}
		}
	}
	return l.before + line
}

// member returns a key of a mapping and its value, or nil.
func member(n *yaml.Node, name string) (key, value *yaml.Node) {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}
