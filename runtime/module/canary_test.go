package module

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// TestMemoryKeepsNothingOfEarlierBatchX13 converts an object with a secret in it and then looks for
// the secret in all of the instance's memory, as the next batch could: in converters as compilers
// made them, with heaps and stacks and collectors of their own.
func TestMemoryKeepsNothingOfEarlierBatchX13(t *testing.T) {
	const canary = "5ec12e7-canary"
	var files []string
	for _, shape := range []string{"../testdata/good_echo.wasm", "../testdata/x13_state_large.wasm", "../../bin/plugins/*/CronTab.stable.example.com_v1_v2.wasm"} {
		found, err := filepath.Glob(shape)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	limits := smallLimits
	limits.FuelToLoad, limits.FuelPerObject = 2_000_000_000, 1_000_000_000 // some languages have much to do
	l := testLoader(t, limits)
	name := artifact.Name{File: "CronTab.stable.example.com_v1_v2.wasm", Base: "CronTab.stable.example.com_v1_v2", Kind: "CronTab", Group: "stable.example.com", Versions: []string{"v1", "v2"}}
	object := []byte(`{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a","annotations":{"c":"` + canary + `"}},"spec":{"cronSpec":"1 2 3 4 5","image":"` + canary + strings.Repeat("x", 50_000) + `"}}`)
	for _, path := range files {
		t.Run(strings.TrimPrefix(filepath.ToSlash(path), "../../bin/plugins/"), func(t *testing.T) {
			file := fixture(t, "good_echo")
			var err error
			if file.Content, err = os.ReadFile(path); err != nil {
				t.Fatal(err)
			}
			if testing.Short() && len(file.Content) > 200<<10 {
				t.Skip("compiling it takes seconds")
			}
			m, err := l.load(context.Background(), name, file)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			if m.command {
				t.Skip("a command starts anew for every batch")
			}
			for range 4 { // from the second batch on, a reset may do without the pagemap
				batchLeavesNothing(t, m, object, canary)
			}
		})
	}
}

// batchLeavesNothing does the steps of Convert one by one, to inspect memory between them.
func batchLeavesNothing(t *testing.T, m *Module, object []byte, canary string) {
	t.Helper()
	in, fault := m.pool.borrow(context.Background())
	if fault != nil {
		t.Fatal(fault)
	}
	defer m.pool.giveBack(in, true)
	converted, refused, fault := in.batch(context.Background(), "stable.example.com/v2", [][]byte{object})
	if fault != nil || refused != nil {
		t.Fatalf("refused %v, fault %v", refused, fault)
	}
	if all := memoryOf(t, in); !bytes.Contains(all, []byte(canary)) {
		t.Errorf("the secret is nowhere before the reset already: the test shows nothing (answer %.100q)", converted[0])
	}
	if !in.reset() {
		t.Fatal("the instance cannot be put back")
	}
	if at := bytes.Index(memoryOf(t, in), []byte(canary)); at >= 0 {
		t.Errorf("the next batch can read the secret at %d", at)
	}
}

// memoryOf returns all memory that an instance can read, and the memory that it could add by
// growing.
func memoryOf(t *testing.T, in *instance) []byte {
	if _, ok := in.memory.Grow(16); !ok {
		t.Fatal("cannot grow")
	}
	all, _ := in.memory.Read(0, in.memory.Size())
	return all
}
