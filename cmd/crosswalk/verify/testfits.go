package verify

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// fits reports whether a ConfigMap can hold the module.
func fits(file string, add func(edge, check string, verdict output.Verdict, why string)) {
	content, err := os.ReadFile(file)
	if err != nil {
		add("", "it fits a ConfigMap", output.Fail, err.Error())
		return
	}
	text := sizes(filepath.Base(file), content)
	if strings.HasSuffix(text, "too large for a ConfigMap") {
		add("", "it fits a ConfigMap", output.Note, text+": use an image or a volume")
		return
	}
	add("", "it fits a ConfigMap", output.Pass, text)
}

// schemas checks the module's name, its declared fields and its golden cases against the
// definition.
func schemas(p project, m *module.Module, add func(edge, check string, verdict output.Verdict, why string), at func(i int, r output.Result)) {
	if p.d.Schemas == nil {
		add("", "its definition has what it converts", output.Skip, "there is no CustomResourceDefinition: name it with --crd, or put a copy beside the module")
		return
	}
	versions := map[string]bool{}
	for _, v := range p.d.Schemas.Versions {
		versions[v.Name] = true
	}
	var missing []string
	for _, v := range m.FileName().Versions {
		if !versions[v] {
			missing = append(missing, v)
		}
	}
	if len(missing) > 0 {
		add("", "its definition has what it converts", output.Fail, fmt.Sprintf("%s has no version %s", p.d.Path, strings.Join(missing, ", ")))
		return
	}
	add("", "its definition has what it converts", output.Pass, "")
	if doubts := doubtful(m, p.d); len(doubts) > 0 {
		add("", "its declared fields exist", output.Fail, strings.Join(doubts, "\n"))
	} else if m.Declared() != nil {
		add("", "its declared fields exist", output.Pass, "")
	}
	if doubt := otherProof(m, p.d); doubt != "" {
		add("", "its proof is for the schemas", output.Fail, doubt)
	}
	caseSchemas(p.d, m, at)
}
