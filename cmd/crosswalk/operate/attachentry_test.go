package operate

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/rest"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/catalogue"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/oci"
)

// TestAttachInstallsEntry: attach finds the entry of a definition, pulls it by digest, and writes its
// files to the gateway's ConfigMap.
func TestAttachInstallsEntry(t *testing.T) {
	images := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(images.Close)
	t.Setenv("DOCKER_CONFIG", t.TempDir())
	name := strings.TrimPrefix(images.URL, "http://") + "/catalogue"
	const module = "Disk.x.io_v2_v1.wasm.zst"
	from := t.TempDir()
	writeFile(t, filepath.Join(from, module), "module")
	files, err := oci.Files(from)
	if err != nil {
		t.Fatal(err)
	}
	pushed, err := oci.Push(t.Context(), oci.Registry{}, name+"/disk.x.io:v1.2.3", files, oci.Content{})
	if err != nil {
		t.Fatal(err)
	}
	_, digest, _ := strings.Cut(pushed, "@")
	index := &catalogue.Index{Entries: []catalogue.Entry{
		{Operator: "Disks", Version: "v1.2.3", Kind: "Disk", Group: "x.io", Versions: []string{"v2", "v1"}, Module: module, Repository: "disk.x.io", Digest: digest},
		{Operator: "Disks", Version: "v1.2.3", Kind: "Tape", Group: "x.io", Verdict: "not equal", Reasons: []string{"9 of 99 objects differ"}},
	}}

	var written map[string]any
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodPatch {
			var object struct{ BinaryData map[string]any }
			if err := json.NewDecoder(r.Body).Decode(&object); err != nil {
				t.Error(err)
			}
			written = object.BinaryData
			_ = json.NewEncoder(w).Encode(map[string]any{
				"kind": "ConfigMap", "apiVersion": "v1", "metadata": map[string]any{"name": "modules", "resourceVersion": "1"}, "binaryData": written,
			})
			return
		}
		_, _ = io.WriteString(w, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"modules","namespace":"gateways","resourceVersion":"1"}}`)
	}))
	t.Cleanup(server.Close)
	c, err := attach.NewCluster(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	target := func(kind string, versions ...string) *attach.Target {
		crd := &apiextensions.CustomResourceDefinition{}
		crd.Spec.Group, crd.Spec.Names.Kind = "x.io", kind
		for _, v := range versions {
			crd.Spec.Versions = append(crd.Spec.Versions, apiextensions.CustomResourceDefinitionVersion{Name: strings.TrimPrefix(v, "-"), Served: !strings.HasPrefix(v, "-")})
		}
		return &attach.Target{Name: "x", Definitions: []*apiextensions.CustomResourceDefinition{crd}}
	}
	for _, tc := range []struct {
		name   string
		target *attach.Target
		dryRun bool
		want   string
		err    string
	}{
		{"an entry", target("Disk", "v1", "v2"), false, "ConfigMap gateways/modules: already has " + pushed + ", Disks v1.2.3", ""},
		{"a dry run", target("Disk", "v1", "v2"), true, "ConfigMap gateways/modules: would write " + pushed + ", Disks v1.2.3", ""},
		{"a version that is not served", target("Disk", "v1", "v2", "-v3"), true, "ConfigMap gateways/modules: would write " + pushed + ", Disks v1.2.3", ""},
		{"another served version", target("Disk", "v1", "v3"), false, "", "Disk.x.io of Disks v1.2.3 converts v2, v1, and the definition also serves v3: choose a catalogue for its operator's version"},
		{"an unpublished kind", target("Tape", "v1", "v2"), false, "", "Tape.x.io of Disks v1.2.3: the catalogue has no module of it: 9 of 99 objects differ"},
		{"an unknown kind", target("Drum", "v1", "v2"), false, "", "the catalogue does not list Drum.x.io: adopt the operator's conversions with crosswalk adopt"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			written = nil
			o := catalogueFlags{name: name, configMap: "modules"}
			check, pending, err := o.install(t.Context(), c, index, tc.target, attach.Gateway{Namespace: "gateways"}, tc.dryRun)
			if fmt.Sprint(err) != tc.err && (err != nil || tc.err != "") || check.Text != tc.want || pending != tc.dryRun {
				t.Errorf("got %q, pending %v, %v; want %q, %s", check.Text, pending, err, tc.want, tc.err)
			}
			if want := base64.StdEncoding.EncodeToString([]byte("module")); tc.err == "" && (len(written) != 1 || written[module] != want) || tc.err != "" && written != nil {
				t.Errorf("wrote %v", written)
			}
		})
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
