package watch

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestMounts covers the ways in which a cluster provides directories of modules. The watcher must
// see the content and every change, by events where the file system has them and by the poll where
// it does not.
func TestMounts(t *testing.T) {
	for _, tc := range []struct {
		name string
		// use makes the directory, below top, and returns it with a function that changes it; nil
		// if it never changes.
		use func(t *testing.T, top string) (dir string, change func(n int))
		// deaf says that changes come without events, as from another machine.
		deaf bool
	}{
		{"a ConfigMap", func(t *testing.T, top string) (string, func(int)) {
			v := volumeAt(t, top)
			v.write(map[string]string{"a.wasm": "0", "b.wasm": "same"})
			return top, func(n int) { v.write(map[string]string{"a.wasm": fmt.Sprint(n), "b.wasm": "same"}) }
		}, false},
		{"several ConfigMaps in one projected volume, which change one by one", func(t *testing.T, top string) (string, func(int)) {
			v := volumeAt(t, top)
			first, second := map[string]string{"a.wasm": "0"}, map[string]string{"b.wasm": "same"}
			write := func() {
				all := maps.Clone(first)
				maps.Copy(all, second)
				v.write(all)
			}
			write()
			return top, func(n int) {
				if n%2 == 0 { // a third one comes and goes
					second["c.wasm"] = "0"
				} else {
					delete(second, "c.wasm")
				}
				write()
				first["a.wasm"] = fmt.Sprint(n)
				write()
			}
		}, false},
		{"a ConfigMap with its keys in a directory, of which a link leads to the modules", func(t *testing.T, top string) (string, func(int)) {
			v := volumeAt(t, top)
			v.write(map[string]string{"modules/a.wasm": "0", "modules/b.wasm": "same"})
			return filepath.Join(top, "modules"), func(n int) {
				v.write(map[string]string{"modules/a.wasm": fmt.Sprint(n), "modules/b.wasm": "same"})
			}
		}, false},
		{"an image volume", func(t *testing.T, top string) (string, func(int)) {
			put(t, top, "a.wasm", "0")
			put(t, top, "b.wasm", "same")
			must(t, os.Chmod(filepath.Join(top, "a.wasm"), 0o444))
			must(t, os.Chmod(top, 0o555))
			t.Cleanup(func() { must(t, os.Chmod(top, 0o755)) })
			return top, nil
		}, false},
		{"a hostPath, into which people copy and move", func(t *testing.T, top string) (string, func(int)) {
			put(t, top, "a.wasm", "0")
			put(t, top, "b.wasm", "same")
			return top, func(n int) {
				if n%2 == 0 {
					must(t, os.WriteFile(filepath.Join(top, "a.wasm"), []byte(fmt.Sprint(n)), 0o644))
					return
				}
				put(t, top, ".a.wasm.tmp", fmt.Sprint(n))
				must(t, os.Rename(filepath.Join(top, ".a.wasm.tmp"), filepath.Join(top, "a.wasm")))
			}
		}, false},
		{"git-sync's link, to a tree of each commit", func(t *testing.T, top string) (string, func(int)) {
			checkout := func(n int) {
				tree := filepath.Join(top, ".worktrees", fmt.Sprint(n))
				must(t, os.MkdirAll(filepath.Join(tree, "modules"), 0o755))
				put(t, filepath.Join(tree, "modules"), "a.wasm", fmt.Sprint(n))
				put(t, filepath.Join(tree, "modules"), "b.wasm", "same")
				must(t, os.Symlink(filepath.Join(".worktrees", fmt.Sprint(n)), filepath.Join(top, "tmp-link")))
				must(t, os.Rename(filepath.Join(top, "tmp-link"), filepath.Join(top, "repository")))
				must(t, os.RemoveAll(filepath.Join(top, ".worktrees", fmt.Sprint(n-1))))
			}
			checkout(0)
			return filepath.Join(top, "repository", "modules"), checkout
		}, false},
		{"NFS, which another machine writes", func(t *testing.T, top string) (string, func(int)) {
			put(t, top, "a.wasm", "0")
			put(t, top, "b.wasm", "same")
			return top, func(n int) { put(t, top, "a.wasm", fmt.Sprint(n)) }
		}, true},
		{"NFS, where another machine keeps the size and the time", func(t *testing.T, top string) (string, func(int)) {
			put(t, top, "a.wasm", "0")
			put(t, top, "b.wasm", "same")
			long := time.Now().Add(-time.Hour)
			must(t, os.Chtimes(filepath.Join(top, "a.wasm"), long, long))
			return top, func(n int) {
				file, err := os.OpenFile(filepath.Join(top, "a.wasm"), os.O_WRONLY, 0)
				must(t, err)
				_, err = file.WriteAt([]byte(fmt.Sprint(n)), 0)
				must(t, err)
				must(t, file.Close())
				must(t, os.Chtimes(filepath.Join(top, "a.wasm"), long, long))
			}
		}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir, change := tc.use(t, t.TempDir())
			config := quick(dir)
			w := New(config)
			if tc.deaf {
				config.Poll = 5 * time.Millisecond
				w = noEvents(config)
			}
			f := follow(t, w)
			f.sees("a.wasm", "0")
			f.sees("b.wasm", "same")
			if change == nil {
				return
			}
			for n := 1; n <= 9; n++ {
				change(n)
				f.sees("a.wasm", fmt.Sprint(n))
				f.sees("b.wasm", "same")
			}
		})
	}
}
