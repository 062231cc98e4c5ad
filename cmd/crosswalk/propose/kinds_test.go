package propose

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/host/schema"
)

// TestKinds counts the rules that are proposed for definitions of operators without objects: those that show
// a field of one version in the other, those that drop one, and those that are comments. A change of the
// numbers is worth a look at the rules.
func TestKinds(t *testing.T) {
	for file, want := range map[string][3]int{
		"plugins/certificate/crd.yaml":                                     {6, 0, 0},
		"plugins/crontab/crd.yaml":                                         {1, 0, 0},
		"plugins/database/crd.yaml":                                        {2, 8, 1},
		"plugins/environment/crd.yaml":                                     {2, 2, 0},
		"plugins/healthcheck/crd.yaml":                                     {1, 6, 0},
		"plugins/hostport/crd.yaml":                                        {1, 0, 1},
		"plugins/widget-v1beta1-v1/crd.yaml":                               {3, 2, 0},
		"cmd/crosswalk/propose/testdata/flowcollector.yaml":                {18, 7, 0},
		"cmd/crosswalk/prove/testdata/real/cronjob.yaml":                   {1, 0, 0},
		"cmd/crosswalk/prove/testdata/real/bgppeer.yaml.gz":                {0, 9, 0},
		"cmd/crosswalk/prove/testdata/real/clusterqueue.yaml.gz":           {1, 3, 0},
		"cmd/crosswalk/prove/testdata/real/eventtype.yaml.gz":              {0, 6, 0},
		"cmd/crosswalk/prove/testdata/real/localqueue.yaml.gz":             {1, 1, 0},
		"cmd/crosswalk/prove/testdata/real/nodepool.yaml.gz":               {1, 6, 1},
		"cmd/crosswalk/prove/testdata/real/workload.yaml.gz":               {2, 5, 0},
		"cmd/crosswalk/prove/testdata/real/externalsecret.yaml.gz":         {3, 16, 1},
		"cmd/crosswalk/prove/testdata/real/multikueuecluster.yaml.gz":      {2, 0, 0},
		"host/schema/testdata/clusters.cluster.x-k8s.io.yaml.gz":           {16, 31, 3},
		"host/schema/testdata/machinedeployments.cluster.x-k8s.io.yaml.gz": {10, 26, 3},
		"host/schema/testdata/tasks.tekton.dev.yaml.gz":                    {3, 22, 0},
	} {
		crd, err := schema.Parse(definitionIn(t, filepath.Join("../../..", filepath.FromSlash(file))))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		var versions []string
		for _, v := range crd.Versions {
			versions = append(versions, v.Name)
		}
		var got [3]int
		for _, line := range strings.Split(string(Rules(crd, versions, nil).Text()), "\n") {
			switch {
			case strings.HasPrefix(line, "  - {drop: "):
				got[1]++
			case strings.HasPrefix(line, "  - {"):
				got[0]++
			case strings.HasPrefix(line, "  # - {"):
				got[2]++
			}
		}
		if got != want {
			t.Errorf("%q: {%d, %d, %d}, want %v", file, got[0], got[1], got[2], want)
		}
	}
}
