package main

import (
	"context"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/oci"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/dockerregistry"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/programs"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// TestCatalogue makes the catalogue's entry of MetalLB, and uses it as a cluster does: by the index,
// with the signature verified, and with its golden cases.
func TestCatalogue(t *testing.T) {
	if testing.Short() {
		t.Skip("adopting an operator takes a minute (run without -short)")
	}
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	t.Setenv("DOCKER_CONFIG", t.TempDir())
	withoutZstd(t)
	program, err := programs.Build(t.Context(), "../..", "crosswalk")
	must(t, err)
	o := options{
		program: program, list: "../../deploy/catalogue/operators.yaml", operator: "MetalLB", objects: 1000,
		out: t.TempDir(), pages: t.TempDir(), registry: strings.TrimPrefix(server.URL, "http://") + "/catalogue", log: t.Output(),
	}
	if _, err := downloadModule(t.Context(), t.TempDir(), "go.universe.tf/metallb", "v0.16.2"); err != nil {
		t.Skipf("MetalLB cannot be downloaded: %v", err)
	}
	must(t, run(t.Context(), o))

	indexDir := t.TempDir()
	_, err = oci.Pull(t.Context(), oci.Registry{}, []string{o.registry + "/" + Repository + ":" + Tag}, indexDir)
	must(t, err)
	var index Index
	must(t, json.Unmarshal([]byte(read(t, indexDir, File)), &index))
	i := slices.IndexFunc(index.Entries, func(e Entry) bool { return e.Name() == "BGPPeer.metallb.io" })
	if i < 0 || index.Entries[i].Digest == "" {
		t.Fatalf("the index has no published entry of BGPPeer: %+v", index)
	}
	e := index.Entries[i]
	if e.Verdict != Equal || e.Compared < 100 || e.Cases < 5 || e.Blocks == 0 || len(e.Losses) < 20 {
		t.Errorf("the entry is %+v", e)
	}
	dir := t.TempDir()
	if _, err := oci.Pull(t.Context(), oci.Registry{}, []string{o.registry + "/" + e.Repository + ":" + e.Version}, dir); err != nil {
		t.Fatal(err)
	}
	keys, err := sums.ReadKeys([]byte(read(t, o.out, publicKey)))
	must(t, err)
	snapshot, err := watch.Read(dir, watch.ReadLimits{Quiet: time.Nanosecond}, func(string) bool { return true })
	must(t, err)
	if _, by := sums.Of(snapshot, keys, false).Listing(); by == "" {
		t.Error("the list of the entry is not signed")
	}
	m, err := runtime.Open(t.Context(), filepath.Join(dir, e.Module), runtime.OpenConfig{})
	must(t, err)
	defer m.Close()
	if n := len(m.Cases()); n != e.Cases {
		t.Errorf("the module has %d cases, and the index says %d", n, e.Cases)
	}
	page := read(t, o.pages, "metallb.md")
	for _, want := range []string{"| BGPPeer.metallb.io | v1beta2, v1beta1 | equal |", "`bgppeer.metallb.io:v0.16.2`", "`spec.vrf` lost", "v1beta1, which MetalLB deprecated, has no such field ([website/content/release-notes/_index.md:196](https://github.com/metallb/metallb/blob/v0.16.2/website/", "CRDConversion"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
}

// TestStartRegistry starts Debian's docker-registry.
func TestStartRegistry(t *testing.T) {
	if err := dockerregistry.Find(); err != nil {
		t.Skip(err)
	}
	o := options{out: t.TempDir(), log: t.Output()}
	stop, err := o.startRegistry(context.Background())
	must(t, err)
	host, path, _ := strings.Cut(o.registry, "/")
	response, err := http.Get("http://" + host + "/v2/")
	must(t, err)
	response.Body.Close()
	if response.StatusCode != http.StatusOK || path != "catalogue" {
		t.Errorf("%s answers %s", o.registry, response.Status)
	}
	stop()
	if response, err := http.Get("http://" + host + "/v2/"); err == nil {
		response.Body.Close()
		t.Error("the registry still runs")
	}
}

// withoutZstd gives adopt a zstd that fails, so that it packs with the library, in a tenth of the time.
func withoutZstd(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "zstd"), []byte("#!/bin/sh\nexit 1\n"), 0o755))
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}
