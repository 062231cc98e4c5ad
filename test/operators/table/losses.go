package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
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
	if crd, err = rendered(crd, project); err != nil {
		return cell("– (" + err.Error() + ")")
	}
	modules, err := filepath.Glob(filepath.Join(project, op.Kind+".*.wasm"))
	if err != nil || len(modules) != 1 {
		return "–"
	}
	// It fails if there are findings.
	out, err := output(project, o.program, "fuzz", "--quiet", "--crd", crd, "--objects", fuzzObjects, "-o", "json", modules[0])
	count, e := lossPaths([]byte(out))
	if e != nil {
		return cell("– (" + strings.ReplaceAll(cmp.Or(err, e).Error(), crd, op.CRD) + ")") // without the path of this machine
	}
	return fmt.Sprint(count)
}

// action is an action of a Helm template.
var action = regexp.MustCompile(`\{\{[^{}]*\}\}`)

// rendered returns the file of a definition. Of a Helm template, such as Longhorn's, it is a copy in dir
// without the actions: labels of the definition and the Service of its webhook, which no schema has.
func rendered(crd, dir string) (string, error) {
	text, err := os.ReadFile(crd)
	if err != nil || !action.Match(text) {
		return crd, err
	}
	crd = filepath.Join(dir, "rendered.yaml")
	return crd, os.WriteFile(crd, action.ReplaceAll(text, nil), 0o644)
}

// lossPaths counts the paths of the findings in the output of crosswalk fuzz, without those about
// empty values, which Go's types do not distinguish from none.
func lossPaths(text []byte) (int, error) {
	var reports []struct {
		Findings []struct{ Class, From, Path string }
	}
	if err := json.Unmarshal(text, &reports); err != nil {
		return 0, err
	}
	paths := map[string]bool{}
	for _, r := range reports {
		for _, f := range r.Findings {
			if f.Class != "empty" {
				paths[f.From+" "+f.Path] = true
			}
		}
	}
	return len(paths), nil
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
