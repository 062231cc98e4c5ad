package plugins_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/sdk/go/crosswalktest"
)

// TestVectors runs the shared vectors of every plugin in every language, as WebAssembly.
func TestVectors(t *testing.T) {
	forEach(t, func(t *testing.T, c converter, vectors []crosswalktest.Vector) {
		g := newGuest(t, c.file)
		for _, v := range vectors {
			t.Run(v.Name, func(t *testing.T) {
				converted, refusals := split(g.answers(t, v.DesiredAPIVersion, objects(v)...))
				if err := v.Check(converted, refusals); err != nil {
					t.Error(err)
				}
			})
		}
	})
}

// split converts answers to the arguments of Check.
func split(answers []answer) (converted [][]byte, refusals map[int]string) {
	converted, refusals = make([][]byte, len(answers)), map[int]string{}
	for i, a := range answers {
		if a.status == 1 {
			refusals[i] = a.body
		} else {
			converted[i] = []byte(a.body)
		}
	}
	return converted, refusals
}

// TestVectorsWithoutVectors runs the vectors against C and C++ that is compiled for a WebAssembly
// without SIMD and bulk memory.
func TestVectorsWithoutVectors(t *testing.T) {
	dir := t.TempDir()
	build := exec.Command("./build.sh")
	build.Env = append(os.Environ(), "OUT="+dir, "CFLAGS=-mno-simd128 -mno-bulk-memory", "LANGUAGES=c cpp")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	forEach(t, func(t *testing.T, c converter, vectors []crosswalktest.Vector) {
		if _, ok := compilers[c.language]; !ok {
			return
		}
		g := newGuest(t, filepath.Join(dir, c.language, filepath.Base(c.file)))
		for _, v := range vectors {
			converted, refusals := split(g.answers(t, v.DesiredAPIVersion, objects(v)...))
			if err := v.Check(converted, refusals); err != nil {
				t.Errorf("%s: %v", v.Name, err)
			}
		}
		large := string(vectors[0].Objects[0])
		large = large[:len(large)-1] + `,"padding":"` + strings.Repeat(`x\\\"}`, 30000) + `"}`
		if a := g.answers(t, vectors[0].DesiredAPIVersion, large)[0]; a.status != 0 || len(a.body) < 150000 {
			t.Errorf("a large object: %d, %d bytes", a.status, len(a.body))
		}
	})
}
