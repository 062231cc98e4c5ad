package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/test/operators/list"
)

// fuzzObjects is the number of objects that show the operator's own losses. With 200, crosswalk fuzz
// needs seconds.
const fuzzObjects = "200"

// losses returns the number of paths at which the conversion loses or changes values on the way to
// another version and back, as crosswalk fuzz finds them with the operator's definition.
func (o options) losses(op list.Operator, project string) string {
	if op.CRD == "" {
		return "–"
	}
	crd, err := inModule(op.CRD)
	if err != nil {
		return cell("– (" + err.Error() + ")")
	}
	modules, err := filepath.Glob(filepath.Join(project, op.Kind+".*.wasm"))
	if err != nil || len(modules) != 1 {
		return "–"
	}
	// It fails if there are findings.
	out, err := output(project, o.program, "fuzz", "--quiet", "--crd", crd, "--objects", fuzzObjects, "-o", "json", modules[0])
	var found struct {
		Findings []struct{ Property, Class, From, To, Path string }
	}
	if e := json.Unmarshal([]byte(out), &found); e != nil {
		if err == nil {
			err = e
		}
		return cell("– (" + err.Error() + ")")
	}
	paths := map[string]bool{}
	for _, f := range found.Findings {
		if f.Class == "empty" {
			continue // Go's types do not distinguish an empty value from none
		}
		paths[f.From+" "+f.Path] = true
	}
	return fmt.Sprint(len(paths))
}

// inModule returns the file of module@version/path in the cache of Go modules.
func inModule(name string) (string, error) {
	module, rest, ok := strings.Cut(name, "@")
	version, path, there := strings.Cut(rest, "/")
	if !ok || !there {
		return "", fmt.Errorf("%s must be module@version/path", name)
	}
	out, err := output(".", "go", "mod", "download", "-json", module+"@"+version)
	if err != nil {
		return "", err
	}
	var downloaded struct{ Dir string }
	if err := json.Unmarshal([]byte(out), &downloaded); err != nil {
		return "", err
	}
	return filepath.Join(downloaded.Dir, filepath.FromSlash(path)), nil
}
