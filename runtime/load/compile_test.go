//go:build linux

package load

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/codecache"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"

	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// cachingLoader is a loader with a compile cache in a directory.
func cachingLoader(t *testing.T, dir string) *Loader {
	t.Helper()
	l := testLoader(t, smallLimits)
	var err error
	if l.cache, err = codecache.Open(dir, 1<<30); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.cache.Close)
	return l
}

// loads counts lookups by result: hit miss damaged.
func loads(l *Loader) [3]float64 {
	var n [3]float64
	for i, result := range cacheResults {
		n[i] = testutil.ToFloat64(l.metrics.cacheLoads.WithLabelValues(result))
	}
	return n
}

// kept is the files of code in the directory of a cache.
func kept(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Code from the cache answers like code from the compiler, batch after batch, for modules of every
// language that is built.
func TestCachedCodeAnswersAlike(t *testing.T) {
	files := map[string]watch.File{}
	for _, name := range []string{"good_echo", "good_fields", "command_good"} {
		files[name] = fixture(t, name)
	}
	built, _ := filepath.Glob("../../bin/plugins/*/CronTab.stable.example.com_v1_v2.wasm")
	for _, path := range built {
		if language := filepath.Base(filepath.Dir(path)); language == "c" || !testing.Short() { // the others take long to compile
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files[language] = watch.File{Content: content}
		}
	}
	for name, file := range files {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "cache")
			l := cachingLoader(t, dir)
			var modules [2]*module.Module
			for i := range modules {
				var err error
				if modules[i], err = l.Load(context.Background(), testName, file, nil); err != nil {
					t.Fatal(err)
				}
				defer modules[i].Close()
			}
			if n := loads(l); n != [3]float64{1, 1, 0} || len(kept(t, dir)) != 1 {
				t.Fatalf("hits, misses and damaged are %v, files %q", n, kept(t, dir))
			}
			for range 3 {
				if _, err := selfTest(context.Background(), modules[0], modules[1], 1<<40); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestModuleLoadsDespiteDamagedEntryM19: with any damage of a cache entry the module loads, and the
// next time it loads from the cache.
func TestModuleLoadsDespiteDamagedEntryM19(t *testing.T) {
	for _, tc := range []struct {
		name   string
		damage func(t *testing.T, l *Loader, dir string)
		want   [3]float64 // hits, misses and damaged after it was loaded again
	}{
		{"nothing wrong", func(*testing.T, *Loader, string) {}, [3]float64{1, 1, 0}},
		{"truncated", func(t *testing.T, _ *Loader, dir string) {
			if err := os.Truncate(kept(t, dir)[0], 100); err != nil {
				t.Fatal(err)
			}
		}, [3]float64{0, 1, 1}},
		{"a function's place changed, which the engine does not check", func(t *testing.T, _ *Loader, dir string) {
			file := kept(t, dir)[0]
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			engine := content[sha256.Size:]
			engine[6+1+int(engine[6])+4+6] ^= 0x40 // behind magic, version and number of functions
			if err := os.WriteFile(file, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}, [3]float64{0, 1, 1}},
		{"what the engine cannot read, well sealed", func(t *testing.T, l *Loader, dir string) {
			loadFixture(t, l, "good_echo") // a hit
			draft, file, err := l.cache.Begin()
			if err != nil {
				t.Fatal(err)
			}
			_, err = file.WriteString("no code")
			if err = errors.Join(err, file.Close()); err != nil {
				t.Fatal(err)
			}
			c, err := newCandidate(l, testName, fixture(t, "good_echo"), nil)
			if err != nil {
				t.Fatal(err)
			}
			l.cache.Remove(l.cacheKey(c))
			if err := draft.Keep(l.cacheKey(c)); err != nil {
				t.Fatal(err)
			}
		}, [3]float64{1, 1, 1}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "cache")
			l := cachingLoader(t, dir)
			loadFixture(t, l, "good_echo")
			tc.damage(t, l, dir)
			convertsWell(t, loadFixture(t, l, "good_echo"))
			if n := loads(l); n != tc.want {
				t.Errorf("hits, misses and damaged are %v, want %v", n, tc.want)
			}
			convertsWell(t, loadFixture(t, l, "good_echo"))
			if n := loads(l); n[0] != tc.want[0]+1 {
				t.Errorf("afterwards it is no hit: %v", n)
			}
		})
	}
}

func convertsWell(t *testing.T, m *module.Module) {
	t.Helper()
	got, _, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject})
	if err != nil || !slices.Equal(got[0], testObject) {
		t.Errorf("converts to %s, %v", got, err)
	}
}

// TestCacheKeepsCodeOfVettedModulesM20: code is kept of modules that proved themselves, and used
// for the same module, under the same name and limits, vetted or not.
func TestCacheKeepsCodeOfVettedModulesM20(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	l := cachingLoader(t, dir)
	if _, err := l.Load(context.Background(), testName, fixture(t, "m09_start_trap"), nil); err == nil || len(kept(t, dir)) != 0 {
		t.Errorf("a module that does not start: %v, kept %q", err, kept(t, dir))
	}
	loadFixture(t, l, "good_echo")

	other := *l
	other.vetter = newVetter(l.limits, slog.New(slog.DiscardHandler))
	loadFixture(t, &other, "good_echo")
	if n := loads(l); n[0] != 0 {
		t.Errorf("code that nobody vetted is used where modules are vetted: %v", n)
	}
	refusing := newVetter(l.limits, slog.New(slog.DiscardHandler))
	refusing.limits.VetMemory = 1 << 20
	other.vetter = refusing
	loadFixture(t, &other, "good_echo")
	if n := loads(l); n[0] != 1 {
		t.Errorf("code that was vetted before is not used: %v", n)
	}
	if _, err := other.Load(context.Background(), testName, fixture(t, "good_refuse"), nil); err == nil || !strings.Contains(err.Error(), "takes more than 1 MiB") {
		t.Errorf("a module that is not in the cache is not vetted: %v", err)
	}

	hits := loads(l)[0]
	for _, change := range []func(*Loader, *artifact.Name){
		func(l *Loader, _ *artifact.Name) { l.limits.MemoryPages-- },
		func(l *Loader, _ *artifact.Name) { l.limits.FuelPerByte++ },
		func(_ *Loader, n *artifact.Name) {
			n.File, n.Base, n.Versions = "K.g_v1_v3.wasm", "K.g_v1_v3", []string{"v1", "v3"}
		},
	} {
		changed, name := *l, testName
		change(&changed, &name)
		m, err := changed.Load(context.Background(), name, fixture(t, "good_echo"), nil)
		if err != nil {
			t.Fatal(err)
		}
		m.Close()
	}
	if n := loads(l)[0]; n != hits {
		t.Errorf("%v hits for what is not the same", n-hits)
	}
}

// A cache that cannot be written any more costs a line in the log, and no module.
func TestCacheThatCannotBeWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	l := cachingLoader(t, dir)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	convertsWell(t, loadFixture(t, l, "good_echo"))
	if _, err := l.Load(t.Context(), testName, fixture(t, "m09_start_trap"), nil); err == nil {
		t.Error("a module that cannot start was loaded")
	}
	if _, err := l.Load(t.Context(), testName, watch.File{Name: testName.File, Content: []byte("\x00asm\x01\x00\x00\x00")}, nil); err == nil {
		t.Error("an empty module was loaded")
	}
}

// TestCacheKey: the key of compiled code covers all that its verdict depends on.
func TestCacheKey(t *testing.T) {
	l := cachingLoader(t, filepath.Join(t.TempDir(), "cache"))
	key := func(change func(l *Loader, c *candidate)) codecache.Key {
		c, err := newCandidate(l, testName, fixture(t, "good_echo"), nil)
		if err != nil {
			t.Fatal(err)
		}
		other := *l
		change(&other, c)
		return other.cacheKey(c)
	}
	plain := key(func(*Loader, *candidate) {})
	for _, test := range []struct {
		what   string
		change func(l *Loader, c *candidate)
		same   bool
	}{
		{"nothing", func(*Loader, *candidate) {}, true},
		{"the memory of all modules", func(l *Loader, _ *candidate) { l.limits.LoadedBytes++ }, true},
		{"the memory of an instance", func(l *Loader, _ *candidate) { l.limits.MemoryPages++ }, false},
		{"the fuel of an object", func(l *Loader, _ *candidate) { l.limits.FuelPerObject++ }, false},
		{"vetting", func(l *Loader, _ *candidate) { l.vetter = &vetter{} }, false},
		{"the content", func(_ *Loader, c *candidate) { c.contentSum[31] ^= 1 }, false},
		{"the name", func(_ *Loader, c *candidate) { c.name.File = "K.g_v1_v3.wasm" }, false},
		{"the owner", func(_ *Loader, c *candidate) { c.name.Owner = "a" }, false},
	} {
		if same := key(test.change) == plain; same != test.same {
			t.Errorf("with another %s, the key is the same: %v", test.what, same)
		}
	}
}

// TestFailedBuildHoldsNoMemory: code that the engine does not take is followed by another attempt, which
// counts the module's memory anew.
func TestFailedBuildHoldsNoMemory(t *testing.T) {
	l := testLoader(t, smallLimits)
	l.loaded = newOwnersMemory(1<<30, 1)
	c, err := newCandidate(l, testName, fixture(t, "good_echo"), nil)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "code"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := l.build(context.Background(), c, &codeFile{file: file}); err == nil {
		t.Error("an empty file is taken for code")
	}
	if used := l.loaded.of("").used; used != 0 || c.footprint.bytes != 0 {
		t.Errorf("a module that was not built holds %d bytes", used)
	}
	if err := l.build(context.Background(), c, nil); err != nil {
		t.Fatal(err)
	}
	defer c.close()
	if used := l.loaded.of("").used; used == 0 || used != c.footprint.bytes {
		t.Errorf("a module that was built holds %d bytes; %d are counted", c.footprint.bytes, used)
	}
}

// TestLackOfRoomKeepsCachedCode: a module whose code or initial memory does not fit beside others is
// refused with that reason; its cached code is neither damaged nor compiled again, and serves when
// there is room.
func TestLackOfRoomKeepsCachedCode(t *testing.T) {
	for _, test := range []struct {
		name          string
		room          int64
		without, with [3]float64 // hits, misses and damaged without room, and with room again
	}{
		{"the code", perModule, [3]float64{0, 1, 0}, [3]float64{1, 1, 0}},
		{"the initial memory of 16 MiB", perModule + 1<<20, [3]float64{1, 1, 0}, [3]float64{2, 1, 0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := cachingLoader(t, filepath.Join(t.TempDir(), "cache"))
			load := func() error {
				m, err := l.Load(t.Context(), testName, fixture(t, "m26_image"), nil)
				if err == nil {
					m.Close()
				}
				return err
			}
			if err := load(); err != nil {
				t.Fatal(err)
			}
			l.loaded = newOwnersMemory(test.room, 1)
			if err := load(); !errors.As(err, new(noRoom)) {
				t.Errorf("without room: %v", err)
			}
			if n := loads(l); n != test.without {
				t.Errorf("without room, hits, misses and damaged are %v, want %v", n, test.without)
			}
			l.loaded = nil
			if err := load(); err != nil {
				t.Error(err)
			}
			if n := loads(l); n != test.with {
				t.Errorf("with room again, hits, misses and damaged are %v, want %v", n, test.with)
			}
		})
	}
}
