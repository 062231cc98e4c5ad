package watch

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestReadVolume(t *testing.T) {
	for _, linksFirst := range []bool{false, true} {
		t.Run(fmt.Sprintf("linksFirst=%v", linksFirst), func(t *testing.T) {
			v := newVolume(t)
			v.LinksFirst = linksFirst
			for i, payload := range []map[string]string{
				{"a.wasm": "a1", "b.wasm": "b1", "note.txt": "n"},
				{"a.wasm": "a2", "b.wasm": "b2"},
				{"a.wasm": "a2", "b.wasm": "b2", "c.wasm": ""},
				{"c.wasm": "c4", "below/d.wasm": "d4", "e.wasm/f.wasm": "f4"},
				{},
			} {
				v.write(payload)
				s, err := Read(v.dir, ReadLimits{}, wasm)
				must(t, err)
				want := map[string]string{}
				for name, content := range payload {
					if wasm(name) && !strings.Contains(name, "/") {
						want[name] = content
					}
				}
				if got := contents(s); !maps.Equal(got, want) {
					t.Errorf("version %d: read %v, want %v", i, got, want)
				}
				wantSkipped := map[string]string{}
				if i == 3 {
					wantSkipped["e.wasm"] = "is a directory"
				}
				if got := reasons(s); !maps.Equal(got, wantSkipped) {
					t.Errorf("version %d: skipped %v, want %v", i, got, wantSkipped)
				}
				if s.Unsettled {
					t.Errorf("version %d: unsettled", i)
				}
				for _, f := range s.Files {
					if f.Sum != sha256.Sum256(f.Content) {
						t.Errorf("version %d: wrong sum of %s", i, f.Name)
					}
				}
			}
		})
	}
}

// The link of a new key dangles before the switch, and that of a removed key after it. Neither is a
// file of the version.
func TestReadVolumeDuringUpdate(t *testing.T) {
	v := newVolume(t)
	v.write(map[string]string{"a.wasm": "a"})
	must(t, os.Symlink("..data/new.wasm", filepath.Join(v.dir, "new.wasm")))
	must(t, os.Remove(filepath.Join(v.dir, "a.wasm"))) // as if its link were yet to come
	s, err := Read(v.dir, ReadLimits{}, wasm)
	must(t, err)
	if got := fmt.Sprint(contents(s), reasons(s)); got != "map[a.wasm:a] map[]" {
		t.Errorf("read %s", got)
	}
}

// A file beside a kubelet's links is read like any plain file.
func TestReadFileBesideData(t *testing.T) {
	v := newVolume(t)
	v.write(map[string]string{"a.wasm": "from the volume", "b.wasm": "b"})
	must(t, os.Remove(filepath.Join(v.dir, "a.wasm")))
	put(t, v.dir, "a.wasm", "put there")
	put(t, v.dir, "c.wasm", "c")
	s, err := Read(v.dir, ReadLimits{}, wasm)
	must(t, err)
	if got := fmt.Sprint(contents(s)); got != "map[a.wasm:put there b.wasm:b c.wasm:c]" {
		t.Errorf("read %s", got)
	}
}

// TestSnapshotMixesNoVersionsW6: readers of two files that always change together must never see
// one of each, however fast they change.
func TestSnapshotMixesNoVersionsW6(t *testing.T) {
	v := newVolume(t)
	write := func(i int) {
		// Large enough that a reader is often overtaken between the two.
		body := strings.Repeat(fmt.Sprintf("%08d", i), 4096)
		v.write(map[string]string{"a.wasm": body, "b.wasm": body})
	}
	write(0)
	var reads, mixed, failed atomic.Int64
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { // ends when all versions are written
			for {
				select {
				case <-done:
					return
				default:
				}
				s, err := Read(v.dir, ReadLimits{}, wasm)
				switch {
				case err != nil:
					failed.Add(1)
					if !strings.HasSuffix(err.Error(), ": it was replaced while it was read, 5 times in a row") &&
						!strings.HasSuffix(err.Error(), ": ..data: no such file or directory") {
						t.Error(err)
					}
				case len(s.Files) != 2 || s.Files[0].Sum != s.Files[1].Sum || len(s.Skipped) > 0:
					mixed.Add(1)
					t.Errorf("read %d files, skipped %v", len(s.Files), reasons(s))
				default:
					reads.Add(1)
				}
			}
		})
	}
	versions := 0
	for start := time.Now(); versions < 300 || reads.Load() < 100 && time.Since(start) < time.Minute; versions++ {
		write(versions)
	}
	close(done)
	wg.Wait()
	t.Logf("%d versions, %d snapshots, %d overtaken", versions, reads.Load(), failed.Load())
	if reads.Load() < 100 || reads.Load() < failed.Load() {
		t.Errorf("only %d snapshots succeeded, %d failed", reads.Load(), failed.Load())
	}
}

func TestReadErrors(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "file", "")
	for _, name := range []string{"dangling", "escaping", "nodir"} {
		must(t, os.Mkdir(filepath.Join(dir, name), 0o755))
	}
	must(t, os.Symlink("..2026_gone", filepath.Join(dir, "dangling", dataLink)))
	must(t, os.Symlink("/etc", filepath.Join(dir, "escaping", dataLink)))
	put(t, filepath.Join(dir, "nodir"), dataLink, "")
	for _, tc := range []struct{ name, want string }{
		{"absent", "no such file or directory"},
		{"file", "not a directory"},
		{"dangling", "..data: no such file or directory"},
		{"escaping", "..data: path escapes from parent"},
		{"nodir", "..data: not a directory"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := filepath.Join(dir, tc.name)
			_, err := Read(path, ReadLimits{}, wasm)
			if want := "read directory " + path + ": " + tc.want; err == nil || err.Error() != want {
				t.Errorf("error %v, want %s", err, want)
			}
		})
	}
}

// git-sync and its like switch a link to the directory, or one above it, to a new directory.
func TestReadThroughSwitchedLink(t *testing.T) {
	top := t.TempDir()
	tree := func(version string) {
		must(t, os.MkdirAll(filepath.Join(top, version, "modules"), 0o755))
		for _, name := range []string{"a.wasm", "b.wasm"} {
			put(t, filepath.Join(top, version, "modules"), name, version)
		}
		must(t, os.Symlink(version, filepath.Join(top, "tmp")))
		must(t, os.Rename(filepath.Join(top, "tmp"), filepath.Join(top, "current")))
	}
	tree("0")
	var good atomic.Int64 // snapshots
	start, done := time.Now(), make(chan struct{})
	go func() { // ends when the last version is there
		defer close(done)
		for i := 1; i < 300 || good.Load() < 20 && time.Since(start) < time.Minute; i++ {
			tree(fmt.Sprint(i))
			must(t, os.RemoveAll(filepath.Join(top, fmt.Sprint(i-1))))
		}
	}()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		s, err := Read(filepath.Join(top, "current", "modules"), ReadLimits{}, wasm)
		if err != nil {
			continue // overtaken
		}
		if len(s.Files) != 2 || s.Files[0].Sum != s.Files[1].Sum {
			t.Fatalf("read %v, skipped %v", contents(s), reasons(s))
		}
		good.Add(1)
	}
	if good.Load() < 20 {
		t.Errorf("only %d snapshots succeeded", good.Load())
	}
}

func TestReadLimits(t *testing.T) {
	dir := t.TempDir()
	for i, size := range []int{10, 11, 10, 0, 10} {
		put(t, dir, fmt.Sprintf("%d.wasm", i), strings.Repeat("x", size))
	}
	for _, tc := range []struct {
		name    string
		limits  ReadLimits
		files   int
		skipped map[string]string
	}{
		{"none is exceeded", ReadLimits{FileBytes: 11, TotalBytes: 41, Files: 5}, 5, map[string]string{}},
		{"one file", ReadLimits{FileBytes: 10}, 4, map[string]string{"1.wasm": "is too large: the limit is 10 bytes"}},
		{"a lower limit for some files", ReadLimits{FileBytes: 10, Lower: func(name string) int64 {
			return map[string]int64{"0.wasm": 9, "2.wasm": 10, "4.wasm": 11}[name]
		}}, 3, map[string]string{"0.wasm": "is too large: the limit is 9 bytes", "1.wasm": "is too large: the limit is 10 bytes"}},
		{"a limit for some files that is no lower", ReadLimits{FileBytes: 10, Lower: func(string) int64 { return 100 }}, 4, map[string]string{
			"1.wasm": "is too large: the limit is 10 bytes",
		}},
		{"a lower limit and little room", ReadLimits{TotalBytes: 25, Lower: func(string) int64 { return 10 }}, 3, map[string]string{
			"1.wasm": "is too large: the limit is 10 bytes",
			"4.wasm": "does not fit: the limit is 25 bytes for all files together",
		}},
		{"all files", ReadLimits{TotalBytes: 40}, 4, map[string]string{"4.wasm": "does not fit: the limit is 40 bytes for all files together"}},
		{"all files, a smaller one fits", ReadLimits{TotalBytes: 20}, 3, map[string]string{
			"1.wasm": "does not fit: the limit is 20 bytes for all files together",
			"4.wasm": "does not fit: the limit is 20 bytes for all files together",
		}},
		{"both", ReadLimits{FileBytes: 10, TotalBytes: 10}, 2, map[string]string{
			"1.wasm": "is too large: the limit is 10 bytes",
			"2.wasm": "does not fit: the limit is 10 bytes for all files together",
			"4.wasm": "does not fit: the limit is 10 bytes for all files together",
		}},
		{"number", ReadLimits{Files: 3}, 3, map[string]string{".": "has 5 files; only 3 are taken, and 3.wasm is the first of those left out"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, err := Read(dir, tc.limits, wasm)
			must(t, err)
			if got := reasons(s); len(s.Files) != tc.files || !maps.Equal(got, tc.skipped) {
				t.Errorf("%d files, skipped %v; want %d, %v", len(s.Files), got, tc.files, tc.skipped)
			}
		})
	}
}

func TestSnapshotOfManyFilesIsBoundedW12(t *testing.T) {
	if testing.Short() {
		t.Skip("makes 100,000 files")
	}
	dir := t.TempDir()
	for i := range 100_000 { // hard links, which are quick to make; a file can have some 65,000
		first := filepath.Join(dir, fmt.Sprintf("%d.wasm", i/50_000*50_000))
		if i%50_000 == 0 {
			put(t, dir, filepath.Base(first), "")
			continue
		}
		must(t, os.Link(first, filepath.Join(dir, fmt.Sprintf("%d.wasm", i))))
	}
	start := time.Now()
	s, err := Read(dir, ReadLimits{}, wasm)
	must(t, err)
	want := map[string]string{".": "has more than 10000 entries; of those looked at, 256 files are taken"}
	if got := reasons(s); len(s.Files) != 256 || !maps.Equal(got, want) {
		t.Errorf("%d files, skipped %v", len(s.Files), got)
	}
	fingerprintOf(dir)
	took := time.Since(start)
	t.Logf("took %v", took)
	if took > time.Minute {
		t.Errorf("took %v", took)
	}
}

// TestReadKeepsOrderAndNoContent: of files that are not kept a snapshot has size and checksum, and
// Order decides which are taken where there is not room for all.
func TestReadKeepsOrderAndNoContent(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c", "d"} {
		put(t, dir, name, strings.Repeat(name, 100))
	}
	s, err := Read(dir, ReadLimits{
		Files: 3, TotalBytes: 250, FileBytes: 200,
		Order:   func(names []string) { slices.Reverse(names) },
		Content: func(name string) bool { return name == "d" },
	}, func(string) bool { return true })
	must(t, err)
	var got []string
	for _, f := range s.Files {
		if f.Size != 100 || f.Sum != sha256.Sum256([]byte(strings.Repeat(f.Name, 100))) {
			t.Errorf("%s: %d bytes, or a wrong sum", f.Name, f.Size)
		}
		got = append(got, fmt.Sprintf("%s %d", f.Name, len(f.Content)))
	}
	if want := "[c 0 d 100]"; fmt.Sprint(got) != want {
		t.Errorf("read %v, want %s", got, want)
	}
	const want = "map[.:has 4 files; only 3 are taken, and a is the first of those left out b:does not fit: the limit is 250 bytes for all files together]"
	if got := fmt.Sprint(reasons(s)); got != want {
		t.Errorf("skipped %s, want\n%s", got, want)
	}
}

// TestReadLimitsDefaults: limits that are not set have their defaults, and the others stay.
func TestReadLimitsDefaults(t *testing.T) {
	if l := (ReadLimits{}).withDefaults(); l.FileBytes != 32<<20 || l.TotalBytes != 256<<20 || l.Files != 256 || l.Quiet != defaultQuiet {
		t.Errorf("%+v", l)
	}
	if l := (ReadLimits{FileBytes: 1, TotalBytes: 2, Files: 3, Quiet: 4}).withDefaults(); l.FileBytes != 1 || l.TotalBytes != 2 || l.Files != 3 || l.Quiet != 4 {
		t.Errorf("%+v", l)
	}
}

// TestListStopsAtTheBound: of a directory at most maxNames entries are looked at, and only more than
// these are reported as more.
func TestListStopsAtTheBound(t *testing.T) {
	dir := t.TempDir()
	for i := range maxNames {
		must(t, os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), nil, 0o644))
	}
	for _, want := range []bool{false, true} {
		root, err := os.OpenRoot(dir)
		must(t, err)
		names, more, err := list(root)
		must(t, root.Close())
		if err != nil || more != want || len(names) != maxNames {
			t.Errorf("%d names, more %v, want %d and %v; %v", len(names), more, maxNames, want, err)
		}
		must(t, os.WriteFile(filepath.Join(dir, "one more"), nil, 0o644))
	}
}

// TestUnlistableDataIsAnError: a ..data that cannot be listed is an error, and no empty directory,
// which would take all modules out of service.
func TestUnlistableDataIsAnError(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	must(t, err)
	defer root.Close()
	data, err := os.OpenRoot(t.TempDir())
	must(t, err)
	must(t, data.Close())
	if found, _, err := find(root, data, wasm); err == nil || !strings.HasPrefix(err.Error(), "..data: ") {
		t.Errorf("found %v, error %v", found, err)
	}
}

// TestReadLeavesNoFileOpen: a snapshot closes the directory, its ..data and each file, without the
// garbage collector's help.
func TestReadLeavesNoFileOpen(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	v := newVolume(t)
	v.write(map[string]string{"a.wasm": "a", "b.wasm": "b"})
	must(t, os.Mkdir(filepath.Join(v.dir, "c.wasm"), 0o755)) // cannot be read
	before := openFiles(t)
	for range 20 {
		if s, err := Read(v.dir, ReadLimits{Quiet: 1}, wasm); err != nil || len(s.Files) != 2 {
			t.Fatalf("%d files, %v", len(s.Files), err)
		}
	}
	if after := openFiles(t); after > before {
		t.Errorf("%d open files, %d before", after, before)
	}
}

// TestLeadsTo: a name leads to an open directory until another takes its place, or none.
func TestLeadsTo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dir")
	must(t, os.Mkdir(dir, 0o755))
	root, err := os.OpenRoot(dir)
	must(t, err)
	defer root.Close()
	if !leadsTo(os.Stat, dir, root) {
		t.Error("the name of the directory does not lead to it")
	}
	must(t, os.Rename(dir, dir+".old"))
	if leadsTo(os.Stat, dir, root) {
		t.Error("a name that does not exist leads to the directory")
	}
	must(t, os.Mkdir(dir, 0o755))
	if leadsTo(os.Stat, dir, root) {
		t.Error("the name of another directory leads to it")
	}
}
