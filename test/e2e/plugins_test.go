package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crosswalk-gateway/crosswalk/test/internal/apiserver"
	"github.com/crosswalk-gateway/crosswalk/test/internal/artifacts"
	"github.com/crosswalk-gateway/crosswalk/test/internal/gateway"
	"github.com/crosswalk-gateway/crosswalk/test/internal/judge"
	"github.com/crosswalk-gateway/crosswalk/test/internal/review"
)

// Files of the example converters (plugins/<crd>/MODULE).
const (
	crontabFile  = "CronTab.stable.example.com_v1_v2.wasm"
	hostportFile = "CronTab.example.com_v1beta1_v1.wasm"
)

// languages returns the languages that the example converters were built from. Go is always among
// them.
func languages(t *testing.T) []string {
	t.Helper()
	plugins, err := shared.plugins()
	if err != nil {
		t.Fatal(err)
	}
	if plugins.Skipped != "" {
		t.Log(plugins.Skipped)
	}
	return plugins.Languages
}

// pluginModule returns an example converter, and skips the test if it does not exist in the
// language.
func pluginModule(t *testing.T, language, file string) []byte {
	t.Helper()
	plugins, err := shared.plugins()
	if err != nil {
		t.Fatal(err)
	}
	module, err := plugins.Module(language, file)
	if os.IsNotExist(err) {
		t.Skipf("there is no %s in %s", file, language)
	}
	if err != nil {
		t.Fatal(err)
	}
	return module
}

// pluginGateway returns a gateway that serves all example converters of a language. Modules written
// in Go take seconds to load, so all tests share it.
func pluginGateway(t *testing.T, language string) *gateway.Process {
	t.Helper()
	p := shared.gateways[language]
	if p == nil {
		plugins, err := shared.plugins()
		if err != nil {
			t.Fatal(err)
		}
		modules := filepath.Join(plugins.Dir, language)
		if _, err := os.Stat(modules); os.IsNotExist(err) {
			t.Skipf("it needs the example converters in %s", language)
		}
		p, err = gateway.Start(gateway.Config{
			Binary: shared.binary, Modules: modules, Authority: shared.authority, Names: []string{judge.ServiceHost},
		})
		if err != nil {
			t.Fatal(err)
		}
		shared.gateways[language] = p
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the end of the gateway's log:\n%s", tail(p.LogFile(), 8<<10))
		}
	})
	ready(t, p)
	return p
}

// pluginCRD returns the CustomResourceDefinition of an example.
func pluginCRD(t *testing.T, dir string) *apiextensions.CustomResourceDefinition {
	t.Helper()
	text, err := artifacts.Read("plugins", dir, "crd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	crd, err := apiserver.ParseCRD(text)
	if err != nil {
		t.Fatal(err)
	}
	return crd
}

// vector is a golden case or a vector of an example, as plugins/build.sh writes them.
type vector struct {
	Name              string
	DesiredAPIVersion string
	Objects, Want     []json.RawMessage
	WantError         string
}

// pluginFiles returns the files of all example converters by their directories.
func pluginFiles(t *testing.T) map[string]string {
	t.Helper()
	root, err := artifacts.Root()
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(root, "plugins", "*", "MODULE"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no example converters: %v", err)
	}
	files := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(filepath.Dir(name))] = strings.TrimSpace(string(text)) + ".wasm"
	}
	return files
}

// TestVectors asserts that the example converters give the answers of their vectors through the
// gateway.
func TestVectors(t *testing.T) {
	for _, language := range languages(t) {
		t.Run(language, func(t *testing.T) {
			p := pluginGateway(t, language)
			client, err := p.Client()
			if err != nil {
				t.Fatal(err)
			}
			for dir, file := range pluginFiles(t) {
				t.Run(dir, func(t *testing.T) {
					pluginModule(t, language, file)
					for _, v := range vectorsOf(t, dir) {
						if !v.reaches(file) {
							continue
						}
						t.Run(v.Name, func(t *testing.T) {
							v.check(t, func(r *review.Review) (*review.Response, error) { return r.Send(client, p.URL()) })
						})
					}
				})
			}
		})
	}
}

// vectorsOf returns the vectors of an example.
func vectorsOf(t *testing.T, dir string) (vectors []vector) {
	t.Helper()
	text, err := artifacts.Read("bin", "vectors", dir+".json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	return vectors
}

// reaches says whether the gateway asks the module for such a conversion at all: not for a version
// that its name does not have, and not with metadata that is null, which no API server sends.
func (v *vector) reaches(file string) bool {
	_, version, _ := strings.Cut(v.DesiredAPIVersion, "/")
	for _, o := range v.Objects {
		if strings.Contains(strings.ReplaceAll(string(o), " ", ""), `"metadata":null`) {
			return false
		}
	}
	return slices.Contains(strings.Split(strings.TrimSuffix(file, ".wasm"), "_"), version)
}

// check sends the vector's objects and compares.
func (v *vector) check(t *testing.T, send func(*review.Review) (*review.Response, error)) {
	t.Helper()
	r := review.New("v1", v.DesiredAPIVersion)
	r.Request.Objects = v.Objects
	answer, err := send(r)
	if err != nil {
		t.Fatal(err)
	}
	if v.WantError != "" {
		if answer.Result.Status != "Failed" || !strings.Contains(answer.Result.Message, ": "+v.WantError+" [refused by module ") {
			t.Errorf("status %s, message\n\t%s\nwhich should be Failed, and contain\n\t%s", answer.Result.Status, answer.Result.Message, v.WantError)
		}
		return
	}
	if answer.Result.Status != "Success" || len(answer.ConvertedObjects) != len(v.Want) {
		t.Fatalf("status %s with %d objects, not Success with %d: %s",
			answer.Result.Status, len(answer.ConvertedObjects), len(v.Want), answer.Result.Message)
	}
	for i, want := range v.Want {
		if got := answer.ConvertedObjects[i]; !equal(t, got, want) {
			t.Errorf("object %d is\n\t%s\nand should be\n\t%s", i, got, want)
		}
	}
}

// equal compares two objects as JSON, numbers by their digits, and annotations that are JSON
// without their white space, which a review removes. A missing metadata is an empty one: API
// servers want one in an answer.
func equal(t *testing.T, a, b json.RawMessage) bool {
	t.Helper()
	values := [2]map[string]any{}
	for i, text := range [...]json.RawMessage{a, b} {
		decoder := json.NewDecoder(strings.NewReader(string(text)))
		decoder.UseNumber()
		if err := decoder.Decode(&values[i]); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		metadata, _ := values[i]["metadata"].(map[string]any)
		for _, name := range []string{"labels", "annotations"} {
			if metadata[name] == nil { // null is none
				delete(metadata, name)
			}
		}
		annotations, _ := metadata["annotations"].(map[string]any)
		gatherStash(annotations)
		for key, value := range annotations {
			var compact bytes.Buffer
			if text, ok := value.(string); ok && json.Compact(&compact, []byte(text)) == nil {
				annotations[key] = compact.String()
			}
		}
		if len(metadata) == 0 {
			delete(values[i], "metadata")
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}
