package runtime

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
)

const (
	// wantsFixed is a case that only golden_fixed passes.
	wantsFixed = "cases: [{from: v1, to: v2, object: {}, want: {spec: {big: 9007199254740993, ratio: 1.0, hosts: [a, b]}}}]\n"
	// wantsEmpty is a case that x07_grow passes.
	wantsEmpty = "cases: [{from: v1, to: v2, object: {}, want: {}}, {from: v2, to: v1, object: {}, want: {}}]\n"
)

// TestSidecarDecides alternately changes a module and its sidecar. The serving module changes only
// when the two agree.
func TestSidecarDecides(t *testing.T) {
	const file, side = "K.g_v1_v2.wasm", "K.g_v1_v2.yaml"
	f := follow(t, map[string]string{file: "golden_fixed", side: wantsFixed})
	good := f.module("v1", "v2")
	if s := f.status(file); good == nil || s.Sidecar != side || s.Cases != 1 || s.Pinned {
		t.Fatalf("status %+v", s)
	}
	stays := func(after, message string) {
		t.Helper()
		f.until(after, func() bool { return f.status(file).LastError == message })
		s := f.status(file)
		if f.module("v1", "v2") != good || s.State != StateServing || s.Digest != good.Digest() || s.FailedDigest == "" {
			t.Errorf("%s: not what served before serves: %+v", after, s)
		}
		if v := testutil.ToFloat64(f.journal.metrics.reloadOK.WithLabelValues(file)); v != 0 {
			t.Errorf("%s: last_reload_successful is %v", after, v)
		}
	}
	replaced := func(after string) {
		t.Helper()
		f.until(after, func() bool { return f.module("v1", "v2") != good })
		if s := f.status(file); s.LastError != "" {
			t.Errorf("%s: %s", after, s.LastError)
		}
		good = f.module("v1", "v2")
	}

	f.put(file, "x07_grow")
	stays("a module that fails its case", "K.g_v1_v2.yaml: cases[0]: from v1 to v2 the module's answer differs from want in spec (want {\"big\":9007199254740993,\"hosts\":[\"a\",\"b\"],\"ratio\":1.0}, got nothing)")
	f.put(file, "golden_fixed")
	f.until("the old module back", func() bool { return f.status(file).LastError == "" })
	f.put(file, "x07_grow")
	f.put(side, wantsEmpty)
	replaced("a module and the cases that go with it")
	if s := f.status(file); s.Cases != 2 {
		t.Errorf("status %+v", s)
	}

	f.put(side, wantsFixed)
	stays("the module unchanged and other cases", "K.g_v1_v2.yaml: cases[0]: from v1 to v2 the module's answer differs from want in spec (want {\"big\":9007199254740993,\"hosts\":[\"a\",\"b\"],\"ratio\":1.0}, got nothing)")
	f.put(side, "cases: [")
	stays("a broken sidecar", "K.g_v1_v2.yaml is not YAML: line 1: did not find expected node content")
	f.put(side, "sha256: "+strings.Repeat("0", 64)+"\n")
	stays("another pin", "K.g_v1_v2.yaml pins sha256 000000000000, and K.g_v1_v2.wasm has "+good.Digest()[:12]+": put the module in place that is pinned, or pin this one if it is the one you mean")
	f.put(side, wantsEmpty)
	f.until("the old sidecar back", func() bool { return f.status(file).LastError == "" })
	if s := f.status(file); f.module("v1", "v2") != good || s.Cases != 2 {
		t.Errorf("the same two files were loaded again: %+v", s)
	}

	f.put(side, "sha256: "+good.Digest()+"\n")
	replaced("a sidecar alone")
	if s := f.status(file); s.Cases != 0 || !s.Pinned || s.Digest != good.Digest() {
		t.Errorf("status %+v", s)
	}
	f.remove(side)
	replaced("no sidecar any more")
	if s := f.status(file); s.Sidecar != "" || s.Pinned {
		t.Errorf("status %+v", s)
	}
}

// TestSidecarUnreadable has a sidecar that is there and cannot be read: a module must not get past
// it.
func TestSidecarUnreadable(t *testing.T) {
	const file, side = "K.g_v1_v2.wasm", "K.g_v1_v2.yaml"
	f := follow(t, map[string]string{file: "golden_fixed"})
	good := f.module("v1", "v2")
	if err := os.Symlink("nowhere", filepath.Join(f.dir, side)); err != nil {
		t.Fatal(err)
	}
	f.put(file, "x07_grow")
	const want = "K.g_v1_v2.yaml, which lies beside the module, cannot be read (is a symbolic link that leads nowhere): fix or delete it"
	f.until("refusal", func() bool { s := f.status(file); return s.LastError == want && s.FailedDigest != good.Digest() })
	if f.module("v1", "v2") != good {
		t.Error("the module got past its sidecar")
	}
	if s := f.status(side); s.State != StateRefused || s.LastError != "is a symbolic link that leads nowhere" {
		t.Errorf("the sidecar: %+v", s)
	}
	f.remove(side)
	f.until("the module", func() bool { return f.module("v1", "v2") != good })
}

// TestSidecarAlone has sidecars without a module, and other YAML.
func TestSidecarAlone(t *testing.T) {
	const file, side = "K.g_v1_v2.wasm", "K.g_v1_v2.yaml"
	f := follow(t, map[string]string{side: wantsFixed, "values.yaml": "a: b", "ks.g.crd.yaml": "a: b", "K.g_v1_v2.crd.yaml": "a: b"})
	for name, want := range map[string]string{
		side:                 "refused: there is no module K.g_v1_v2.wasm, .wasm.gz or .wasm.zst beside it",
		"values.yaml":        ": ",
		"K.g_v1_v2.crd.yaml": ": ",
	} {
		if s := f.status(name); s.State+": "+s.LastError != want {
			t.Errorf("%s: %s: %s", name, s.State, s.LastError)
		}
	}
	f.put(file, "golden_fixed")
	f.until("the module", func() bool { return f.status(file).Cases == 1 })
	if s := f.status(side); s.State != "" {
		t.Errorf("the sidecar, beside its module: %+v", s)
	}
	f.remove(file) // the module keeps serving; only the sidecar is left over
	f.until("orphan", func() bool { return f.status(file).State == StateOrphaned && f.status(side).State == StateRefused })
}

// TestSidecarVetted has a registry that vets, as in production: the cases pass in a child on the
// compiler and the interpreter, and then here.
func TestSidecarVetted(t *testing.T) {
	const file, side = "K.g_v1_v2.wasm", "K.g_v1_v2.yaml"
	f := followVetted(t, map[string]string{file: "golden_fixed", side: wantsFixed}, true)
	good := f.module("v1", "v2")
	if s := f.status(file); good == nil || s.Cases != 1 {
		t.Fatalf("status %+v", s)
	}
	f.put(side, wantsEmpty)
	f.until("refusal", func() bool {
		return strings.HasPrefix(f.status(file).LastError, "K.g_v1_v2.yaml: cases[0]: from v1 to v2 the module's answer differs from want in spec (want nothing, got ")
	})
	if f.module("v1", "v2") != good {
		t.Error("not what served before serves")
	}
}
