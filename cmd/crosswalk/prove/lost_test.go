package prove

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
)

// TestProvedRulesKeepEmptyObjects converts the objects of rule files that were proved and lost values:
// the compiler did not remember the empty object, and a CEL rule hid it from the generated objects.
func TestProvedRulesKeepEmptyObjects(t *testing.T) {
	for _, name := range []string{"empty-object", "move-each-drop"} {
		t.Run(name, func(t *testing.T) {
			read := func(file string) []byte {
				text, err := os.ReadFile(filepath.Join("testdata/lost", name, file))
				if err != nil {
					t.Fatal(err)
				}
				return text
			}
			file, err := rules.Parse(read("rules.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			all, err := definition.Read(read("crd.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			d, err := apiserver.New(all[0].CRD)
			if err != nil {
				t.Fatal(err)
			}
			object, err := yaml.YAMLToJSON(read("object.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			there := passed(t, file, d, "v2", "v1", string(object))
			back := passed(t, file, d, "v1", "v2", there)
			if got, err := yaml.YAMLToJSON([]byte(back)); err != nil || string(got) != string(object) || strings.Contains(there, `"storage":{`) {
				t.Errorf("%v\n%s\n%s\nwant %s", err, there, got, object)
			}
			v, err := Rules(t.Context(), file, nil, all[0].CRD, Options{Objects: 200, For: time.Minute})
			if err != nil || v.Answer != Proved {
				t.Errorf("%v: %s", err, encoded(t, v))
			}
		})
	}
}
