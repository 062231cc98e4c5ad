package verify

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/input"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/modules"
)

// readSources reads the definitions and the objects of -f.
func readSources(s command.Streams, files []string) (definitions []definition.Definition, objects []json.RawMessage, err error) {
	all, err := input.Read(s.In, files)
	if err != nil {
		return nil, nil, err
	}
	for _, object := range all {
		var head struct{ Kind string }
		if json.Unmarshal(object.JSON, &head) != nil || !strings.HasSuffix(head.Kind, "ResourceDefinition") {
			objects = append(objects, object.JSON)
			continue
		}
		more, err := definition.Read(object.JSON)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", object.From, err)
		}
		for _, d := range more {
			if err := d.Accepted(); err != nil {
				return nil, nil, fmt.Errorf("%s: %s: %w", object.From, d.Kind(), err)
			}
		}
		definitions = append(definitions, more...)
	}
	return definitions, objects, nil
}

// readBeforeCompiling reads the sources of -f, finds the files of the modules, and reads the
// definition of --crd, if there is one. It reports errors in these before the modules are
// compiled, which takes seconds.
func readBeforeCompiling(s command.Streams, sources []string, crd string, args []string) (definitions []definition.Definition, objects []json.RawMessage, files []string, err error) {
	if definitions, objects, err = readSources(s, sources); err != nil {
		return nil, nil, nil, err
	}
	if files, err = modules.Files(args); err != nil {
		return nil, nil, nil, err
	}
	if err = modules.CheckGiven(files, objects); err != nil {
		return nil, nil, nil, err
	}
	if crd != "" {
		if _, err = modules.Definitions(files, crd); err != nil {
			return nil, nil, nil, err
		}
	}
	return definitions, objects, files, nil
}
