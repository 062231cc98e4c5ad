package catalogue

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/oci"
)

func TestFetchAndFind(t *testing.T) {
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	t.Setenv("DOCKER_CONFIG", t.TempDir())
	name := strings.TrimPrefix(server.URL, "http://") + "/catalogue"
	want := Index{Entries: []Entry{
		{Operator: "Disks", Version: "v1.2.3", Kind: "Disk", Group: "x.io", Versions: []string{"v2", "v1"}, Module: "Disk.x.io_v2_v1.wasm.zst", Repository: RepositoryOf("Disk", "x.io"), Digest: "sha256:0", Verdict: Equal},
		{Operator: "Disks", Version: "v1.2.3", Kind: "Tape", Group: "x.io", Verdict: "not equal", Reasons: []string{"3 of 9 objects differ", "a block never ran"}},
	}}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), File)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	files, err := oci.Files(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := oci.Push(context.Background(), oci.Registry{}, name+"/"+Repository+":"+Tag, files, oci.Content{ArtifactType: ArtifactType}); err != nil {
		t.Fatal(err)
	}
	got, err := Fetch(context.Background(), oci.Registry{}, name)
	if err != nil || !reflect.DeepEqual(*got, want) {
		t.Fatalf("%+v, %v; want %+v", got, err, want)
	}
	if e, err := got.Find("Disk", "x.io"); err != nil || e.Repository != "disk.x.io" {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := got.Find("Tape", "x.io"); !errors.Is(err, ErrUnpublished) || err.Error() != "Tape.x.io of Disks v1.2.3: the catalogue has no module of it: 3 of 9 objects differ; a block never ran" {
		t.Errorf("an unpublished kind: %v", err)
	}
	if _, err := got.Find("Disk", "y.io"); err == nil || !strings.HasPrefix(err.Error(), "the catalogue does not list Disk.y.io: ") {
		t.Errorf("an unknown kind: %v", err)
	}
	if _, err := Fetch(context.Background(), oci.Registry{}, name+"/other"); err == nil || !strings.HasPrefix(err.Error(), "reading the index of catalogue "+name+"/other: ") {
		t.Errorf("no catalogue: %v", err)
	}
	if err := os.WriteFile(file, []byte("[]"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(file); err == nil || !strings.HasPrefix(err.Error(), "index.json is not the index of a catalogue: ") {
		t.Errorf("another file: %v", err)
	}
}
