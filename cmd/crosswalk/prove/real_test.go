package prove

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/propose"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
	"github.com/crosswalk-gateway/crosswalk/host/schema"
)

// realRules are the rules files in testdata/real, each with its definition and the limits of its proof.
var realRules = []struct{ name, crd, limits string }{
	{"alertmanagerconfig", "../../../host/schema/testdata/alertmanagerconfigs.monitoring.coreos.com.yaml.gz", "edited edited applied edited applied refused"},
	{"bgppeer", "testdata/real/bgppeer.yaml.gz", "unset refused"},
	{"certificate", "../../../host/schema/testdata/certificates.cert-manager.io.yaml.gz", ""},
	{"cluster", "../../../host/schema/testdata/clusters.cluster.x-k8s.io.yaml.gz", "refused refused refused refused edited edited edited edited applied edited edited edited edited edited edited applied edited edited applied refused refused"},
	{"clusterqueue", "testdata/real/clusterqueue.yaml.gz", "edited applied refused"},
	{"cohort", "testdata/real/cohort.yaml.gz", "edited refused"},
	{"cronjob", "testdata/real/cronjob.yaml", "refused refused refused refused"},
	{"eventtype", "testdata/real/eventtype.yaml.gz", "twin twin refused refused"},
	{"externalsecret", "testdata/real/externalsecret.yaml.gz", "unset edited edited edited edited edited refused"},
	{"localqueue", "testdata/real/localqueue.yaml.gz", "applied refused"},
	{"machinedeployment", "../../../host/schema/testdata/machinedeployments.cluster.x-k8s.io.yaml.gz", "edited edited edited edited applied applied refused refused"},
	{"multikueuecluster", "testdata/real/multikueuecluster.yaml.gz", ""},
	{"nodepool", "testdata/real/nodepool.yaml.gz", "edited refused refused refused refused"},
	{"task", "../../../host/schema/testdata/tasks.tekton.dev.yaml.gz", "edited applied edited refused"},
	{"workload", "testdata/real/workload.yaml.gz", "unset edited applied edited applied applied refused refused"},
}

// TestRealRules proves rules for real definitions, and fuzzes them: REAL_OBJECTS is how many objects
// of each. With -short it only proves.
func TestRealRules(t *testing.T) {
	count := 200
	if n, err := strconv.Atoi(os.Getenv("REAL_OBJECTS")); err == nil {
		count = n
	}
	for _, real := range realRules {
		t.Run(real.name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata/real", real.name+".rules.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			file, err := rules.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			all, err := definition.Read(packed(t, real.crd))
			if err != nil {
				t.Fatal(err)
			}
			d, err := apiserver.New(all[0].CRD)
			if err != nil {
				t.Fatal(err)
			}
			found := Decide(file, d)
			for _, o := range found.Open {
				t.Errorf("open: %v", o)
			}
			var limits []string
			for _, l := range found.Limits {
				limits = append(limits, l.Limit)
			}
			if got := strings.Join(limits, " "); got != real.limits {
				t.Errorf("limits: %s: %v", got, found.Limits)
			}
			if testing.Short() {
				return
			}
			v := &Verdict{Limits: found.Limits}
			for _, f := range reported(fuzzed(t, file, all[0], count, false)) {
				if Loses(&f) && !v.stated(&f) {
					t.Errorf("proved, and loses: %s\n%s", f.Text(), f.Object)
				}
			}
		})
	}
}

// packed reads a file that is packed with gzip, perhaps.
func packed(t *testing.T, path string) []byte {
	t.Helper()
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
	return text
}

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
			all, err := definition.Read(packed(t, path))
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
			proposal := propose.Rules(schemas, versions, nil)
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
				count := objects(2000)
				if testing.Short() {
					count = objects(200)
				}
				for _, text := range losses(t, file, all[0], count, false) {
					t.Errorf("proved, and loses: %s", text)
				}
			}
		})
	}
}
