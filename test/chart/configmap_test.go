package chart

import (
	"maps"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apply "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes/fake"
)

// TestProjectsShareConfigMap: projects of crosswalk init put their files into the ConfigMap that the
// chart mounts, each with a field manager of its own, and none removes the files of another.
func TestProjectsShareConfigMap(t *testing.T) {
	client := fake.NewClientset().CoreV1().ConfigMaps("crosswalk-system")
	for _, step := range []struct {
		manager string
		files   []string
		want    []string
	}{
		{"crontab", []string{"a_v1_v2.wasm.gz", "a_v1_v2.yaml"}, []string{"a_v1_v2.wasm.gz", "a_v1_v2.yaml"}},
		{"widget", []string{"b_v1_v2.wasm.gz"}, []string{"a_v1_v2.wasm.gz", "a_v1_v2.yaml", "b_v1_v2.wasm.gz"}},
		{"crontab", []string{"a_v1_v2_v3.wasm.gz"}, []string{"a_v1_v2_v3.wasm.gz", "b_v1_v2.wasm.gz"}},
	} {
		files := map[string][]byte{}
		for _, file := range step.files {
			files[file] = []byte(step.manager)
		}
		got, err := client.Apply(t.Context(), apply.ConfigMap("crosswalk-modules", "crosswalk-system").WithBinaryData(files), metav1.ApplyOptions{FieldManager: step.manager})
		must(t, err)
		if names := slices.Sorted(maps.Keys(got.BinaryData)); !slices.Equal(names, step.want) {
			t.Errorf("after %s applied %q, there are %q, want %q", step.manager, step.files, names, step.want)
		}
	}
}
