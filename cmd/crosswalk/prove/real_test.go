package prove

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
	"github.com/crosswalk-gateway/crosswalk/host/schema"
)

// TestRealDefinitions decides about proposals for real definitions: DEFINITIONS names a directory with
// more of them. None that loses something is proved.
func TestRealDefinitions(t *testing.T) {
	files := []string{"../../../host/schema/testdata/certificates.cert-manager.io.yaml.gz"}
	if dir := os.Getenv("DEFINITIONS"); dir != "" {
		more, err := filepath.Glob(filepath.Join(dir, "*.yaml*"))
		if err != nil || len(more) == 0 {
			t.Fatalf("%s: %v", dir, err)
		}
		files = append(files, more...)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err == nil && strings.HasSuffix(path, ".gz") {
				var r io.Reader
				if r, err = gzip.NewReader(bytes.NewReader(text)); err == nil {
					text, err = io.ReadAll(r)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			all, err := definition.Read(text)
			if err != nil {
				t.Fatal(err)
			}
			d, err := apiserver.New(all[0].CRD)
			if err != nil {
				t.Fatal(err)
			}
			schemas, err := schema.Parse(all[0].Text)
			if err != nil {
				t.Fatal(err)
			}
			var versions []string
			for _, v := range schemas.Versions {
				versions = append(versions, v.Name)
			}
			proposal := rules.Propose(schemas, versions)
			file, err := rules.Parse(proposal.Text())
			if err != nil {
				t.Skipf("the proposal does not compile: %v", err)
			}
			found := Decide(file, d)
			t.Logf("%d lemmas apply, %d conditions are open: %v", len(found.Applied), len(found.Open), listed(found.Open))
			for i, o := range found.Open[:min(len(found.Open), 12)] {
				t.Logf("%d %v", i, o)
			}
			if len(found.Open) == 0 {
				for _, text := range losses(t, file, all[0], objects(2000), false) {
					t.Errorf("proved, and loses: %s", text)
				}
			}
		})
	}
}
