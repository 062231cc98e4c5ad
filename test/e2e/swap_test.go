package e2e

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crosswalk-gateway/crosswalk/test/internal/gateway"
	"github.com/crosswalk-gateway/crosswalk/test/internal/volume"
)

const (
	stampGroup = "stamp.example.com"
	stampFile  = "Stamp.stamp.example.com_v1_v2.wasm"
)

// generation returns a module that stamps every object it converts with a number up to 9999.
func generation(t *testing.T, n int) []byte {
	t.Helper()
	module := guest(t, "stamp")
	stamped := bytes.Replace(module, []byte(`"generation":"0000"`), fmt.Appendf(nil, `"generation":"%04d"`, n), 1)
	if n != 0 && bytes.Equal(module, stamped) {
		t.Fatal("stamp.wasm has no generation to replace")
	}
	return stamped
}

// stampOf returns the number an object was stamped with.
func stampOf(o *unstructured.Unstructured) (int, error) {
	text, _, err := unstructured.NestedString(o.Object, "spec", "generation")
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("the object has no stamp: %s", show(o))
	}
	return n, nil
}

// waitServing waits until the gateway serves this content of the file.
func waitServing(t *testing.T, p *gateway.Process, file string, content []byte) {
	t.Helper()
	digest := sha256.Sum256(content)
	want := hex.EncodeToString(digest[:])
	if _, err := p.WaitModule(deadline(t), file, func(m gateway.Module) bool { return m.Digest == want && m.State == "serving" }); err != nil {
		t.Fatal(err)
	}
}

// TestSwapUnderLoad: modules are replaced by a kubelet's volume and through a registry, while clients of a
// real API server read at the version that has to be converted; no read fails, and none is answered
// by a module older than one that answered before.
func TestSwapUnderLoad(t *testing.T) {
	const swaps, objects = 8, 5
	for _, way := range []struct {
		name    string
		size    int // of a module, in bytes
		replace func(t *testing.T, dir string) func(content []byte) error
	}{
		{"as the kubelet does", 0, func(t *testing.T, dir string) func([]byte) error {
			mount := &volume.ConfigMap{Dir: dir}
			return func(content []byte) error { return mount.Write(map[string][]byte{stampFile: content}) }
		}},
		{"through a registry", 10 << 20, throughRegistry},
	} {
		t.Run(way.name, func(t *testing.T) {
			dir := t.TempDir()
			replace := way.replace(t, dir)
			if err := replace(padded(generation(t, 0), way.size)); err != nil {
				t.Fatal(err)
			}
			p := readyGateway(t, dir)
			crd := openCRD(stampGroup, "Stamp", "v1", "v2")
			install(t, shared.uncached, crd, p.URL(), p.CA)
			v1, v2 := shared.uncached.Resource(crd, "v1"), shared.uncached.Resource(crd, "v2")
			for n := range objects {
				create(t, v1, &unstructured.Unstructured{Object: map[string]any{
					"apiVersion": stampGroup + "/v1", "kind": "Stamp", "metadata": map[string]any{"name": fmt.Sprintf("o-%d", n)}, "spec": map[string]any{},
				}})
			}

			var written atomic.Int64 // the newest generation that may answer
			reader := func(name string) func(context.Context) error {
				last := 0
				check := func(o *unstructured.Unstructured) error {
					n, err := stampOf(o)
					switch {
					case err != nil:
						return err
					case n < last:
						return fmt.Errorf("generation %d answered after %d", n, last)
					case int64(n) > written.Load():
						return fmt.Errorf("generation %d answered before it was written", n)
					}
					last = n
					return nil
				}
				if name != "" {
					return func(ctx context.Context) error {
						o, err := v2.Get(ctx, name, metav1.GetOptions{})
						if err != nil {
							return err
						}
						return check(o)
					}
				}
				return func(ctx context.Context) error {
					list, err := v2.List(ctx, metav1.ListOptions{})
					if err != nil {
						return err
					}
					if len(list.Items) != objects {
						return fmt.Errorf("%d objects", len(list.Items))
					}
					for i := range list.Items {
						if err := check(&list.Items[i]); err != nil {
							return err
						}
					}
					return nil
				}
			}
			readers := startLoad(t.Context(), reader("o-0"), reader("o-1"), reader(""))
			for n := 1; n <= swaps; n++ {
				content := padded(generation(t, n), way.size)
				written.Store(int64(n))
				if err := replace(content); err != nil {
					t.Fatal(err)
				}
				waitServing(t, p, stampFile, content)
				if now, err := stampOf(get(t, v2, "o-0")); err != nil || now != n {
					t.Errorf("generation %d answers after %d began to serve: %v", now, n, err)
				}
			}
			readers.end(t, 10*swaps)
		})
	}
}

// TestBadModuleIsNotServed asserts that the last good module keeps serving beside any bad file, and
// that the next good one replaces it.
func TestBadModuleIsNotServed(t *testing.T) {
	dir := modules(t, map[string][]byte{stampFile: generation(t, 1)})
	p := readyGateway(t, dir)
	crd := openCRD(stampGroup, "Stamp", "v1", "v2")
	install(t, shared.uncached, crd, p.URL(), p.CA)
	v1, v2 := shared.uncached.Resource(crd, "v1"), shared.uncached.Resource(crd, "v2")
	create(t, v1, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": stampGroup + "/v1", "kind": "Stamp", "metadata": map[string]any{"name": "a"}, "spec": map[string]any{},
	}})
	read := func(ctx context.Context) error {
		o, err := v2.Get(ctx, "a", metav1.GetOptions{})
		if err != nil {
			return err
		}
		n, err := stampOf(o)
		if err == nil && n != 1 {
			err = fmt.Errorf("generation %d answered", n)
		}
		return err
	}
	good := generation(t, 1)
	digest := sha256.Sum256(good)
	for _, bad := range []struct {
		name    string
		content []byte
	}{
		{"empty", nil},
		{"text", []byte("not a module\n")},
		{"cut off", generation(t, 2)[:150]},
		{"one bit wrong", flip(generation(t, 2), 12)},
		{"a component", []byte("\x00asm\x0d\x00\x01\x00")},
		{"nothing of the ABI", []byte("\x00asm\x01\x00\x00\x00")},
	} {
		t.Run(bad.name, func(t *testing.T) {
			readers := startLoad(t.Context(), read)
			if err := volume.Move(dir, stampFile, bad.content); err != nil {
				t.Fatal(err)
			}
			failed := sha256.Sum256(bad.content)
			m, err := p.WaitModule(deadline(t), stampFile, func(m gateway.Module) bool { return m.FailedDigest == hex.EncodeToString(failed[:]) })
			if err != nil {
				t.Fatal(err)
			}
			if m.State != "serving" || m.Digest != hex.EncodeToString(digest[:]) || m.LastError == "" {
				t.Errorf("/modules says %+v", m)
			}
			if err := p.WaitReady(deadline(t)); err != nil {
				t.Error(err)
			}
			readers.end(t, 1)
		})
	}
	t.Run("gone", func(t *testing.T) {
		if err := os.Remove(filepath.Join(dir, stampFile)); err != nil {
			t.Fatal(err)
		}
		if _, err := p.WaitModule(deadline(t), stampFile, func(m gateway.Module) bool { return m.State == "orphaned" }); err != nil {
			t.Fatal(err)
		}
		if err := read(t.Context()); err != nil {
			t.Error(err)
		}
	})
	t.Run("good again", func(t *testing.T) {
		content := generation(t, 3)
		if err := volume.Move(dir, stampFile, content); err != nil {
			t.Fatal(err)
		}
		waitServing(t, p, stampFile, content)
		if n, err := stampOf(get(t, v2, "a")); err != nil || n != 3 {
			t.Errorf("generation %d answers, %v", n, err)
		}
	})
}

func flip(content []byte, at int) []byte {
	content = bytes.Clone(content)
	content[at] ^= 0x40
	return content
}
