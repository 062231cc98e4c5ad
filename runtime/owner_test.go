package runtime

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// ownKinds are the kinds of the owners of followOwners.
var ownKinds = map[string][]string{"a": {"K.g", "M.g"}, "b": {"L.g", "Large.g"}}

// followOwners starts a registry with owners a and b, whose directories are a and b below f.dir.
func followOwners(t *testing.T, files map[string]string, config Config) *following {
	t.Helper()
	f := &following{t: t, dir: t.TempDir()}
	for _, owner := range []string{"a", "b"} {
		if err := os.Mkdir(filepath.Join(f.dir, owner), 0o755); err != nil {
			t.Fatal(err)
		}
		config.Owners = append(config.Owners, Owner{Name: owner, Dir: filepath.Join(f.dir, owner), Groups: []string{owner + ".example.com"}, Kinds: ownKinds[owner]})
	}
	for name, from := range files {
		f.put(name, from)
	}
	return f.run(config)
}

// serves reports whether a file serves.
func (f *following) serves(file string) func() bool {
	return func() bool { return f.status(file).State == StateServing }
}

// TestKindOfAnotherOwnerIsRefusedW22: the file of an owner for a kind of another owner is refused, by a
// message that names both, whether the other owner has a module for it or not. No owner takes another
// owner's module out of service.
func TestKindOfAnotherOwnerIsRefusedW22(t *testing.T) {
	const mine, theirs = "a/K.g_v1_v2.wasm", "b/K.g_v1_v2.wasm"
	f := followOwners(t, map[string]string{theirs: "good_echo", "b/L.g_v1_v2.wasm": "good_echo"}, Config{})
	refused := func(file string) func() bool {
		return func() bool {
			s := f.status(file)
			return s.State == StateRefused && s.LastError == "the kind K.g is reserved for owner a, so owner b cannot serve it: delete this file"
		}
	}
	f.until("the own kind serves", f.serves("b/L.g_v1_v2.wasm"))
	if !refused(theirs)() {
		t.Errorf("before the owner has a file: %+v", f.status(theirs))
	}
	f.put("b/K.g_v2_v3.wasm", "good_echo") // other versions of the kind are no other kind
	f.put(mine, "good_echo")
	f.until("both serve", func() bool { return f.serves(mine)() && f.serves("b/L.g_v1_v2.wasm")() })
	f.until("the other file is refused", refused("b/K.g_v2_v3.wasm"))
	f.remove(mine)
	f.until("the owner's module is orphaned", func() bool { return f.status(mine).State == StateOrphaned })
	if !refused(theirs)() {
		t.Errorf("after the owner's file was deleted: %+v", f.status(theirs))
	}
	f.put("b/K.g_v1_v2.removed", "") // of the other owner's module it says nothing
	f.put("a/L.g_v1_v2.removed", "")
	f.until("a scan", func() bool { return f.status(theirs).State == "" || !refused(theirs)() })
	if f.status(mine).State != StateOrphaned || !f.serves("b/L.g_v1_v2.wasm")() {
		t.Error("an owner took another owner's module out of service")
	}
	f.remove("b/K.g_v1_v2.removed")
	f.put("a/K.g_v1_v2.removed", "")
	f.until("the owner's module is out of service", func() bool { return f.status(mine).State == "" })
	f.until("the other owner's file is still refused", refused(theirs))
}

// TestUnreservedKindServesNobodyW22: of several owners that bring a kind that is reserved for none of
// them, nobody gets it, whichever file is smaller, is found first or has served before: two replicas
// could decide otherwise.
func TestUnreservedKindServesNobodyW22(t *testing.T) {
	served := filepath.Join(t.TempDir(), "served")
	name, _ := artifact.ParseOwned("b/N.g_v1_v2.wasm")
	if err := newServedFile(served, []Owner{{Name: "b", Dir: "/b"}}).save(map[string]artifact.Name{name.Base: name}); err != nil {
		t.Fatal(err)
	}
	f := followOwners(t, map[string]string{"a/N.g_v1_v2.wasm": "good_fields", "b/N.g_v1_v2.wasm": "good_echo", "b/Any.b.example.com_v1_v2.wasm": "good_echo"}, Config{Served: served})
	f.until("a kind of a reserved group serves", f.serves("b/Any.b.example.com_v1_v2.wasm"))
	for _, owner := range []string{"a", "b"} {
		want := "the kind N.g is reserved for nobody, so owner " + owner + " cannot serve it: reserve its group with --groups " + owner + "=g, or delete this file"
		if s := f.status(owner + "/N.g_v1_v2.wasm"); s.State != StateRefused || s.LastError != want {
			t.Errorf("owner %s: %s: %s\nwant %s", owner, s.State, s.LastError, want)
		}
	}
}

// TestMemoryOfOwnersW22: after a restart, the modules that served are loaded first, although another
// owner was added. The owner of what was the only directory has what that served.
func TestMemoryOfOwnersW22(t *testing.T) {
	for _, several := range []bool{true, false} {
		served := filepath.Join(t.TempDir(), "served")
		dir := t.TempDir()
		before := []Owner{{Name: "b", Dir: dir}}
		name, _ := artifact.ParseOwned("b/K.g_v1_v2.wasm")
		if !several {
			before = []Owner{{Dir: dir}}
			name, _ = artifact.ParseName("K.g_v1_v2.wasm")
		}
		if err := newServedFile(served, before).save(map[string]artifact.Name{name.Base: name}); err != nil {
			t.Fatal(err)
		}
		recalled, err := newServedFile(served, []Owner{{Name: "a", Dir: "/new"}, {Name: "b", Dir: dir}}).recall()
		if own, found := recalled["b/K.g_v1_v2"]; err != nil || len(recalled) != 1 || !found || own.Owner != "b" {
			t.Fatalf("several=%v: recalled %v, %v", several, recalled, err)
		}
	}
}

// TestOwnersHaveSharesW22: an owner that fills its directory, or the memory of loaded modules, takes
// nothing from another.
func TestOwnersHaveSharesW22(t *testing.T) {
	limits := smallLimits
	limits.DirectoryBytes = 4000
	f := followOwners(t, map[string]string{"a/K.g_v1_v2.wasm": "good_echo", "b/Large.g_v1_v2.wasm": strings.Repeat("x", 2001)}, Config{Limits: limits})
	f.until("the good owner serves", f.serves("a/K.g_v1_v2.wasm"))
	if s := f.status("b/Large.g_v1_v2.wasm"); !strings.Contains(s.LastError, "the limit is 2000 bytes for all files together") {
		t.Errorf("a file beyond the share of its owner: %+v", s)
	}
	for _, d := range f.directories.all {
		if d.limits.Files != scanFiles/2 {
			t.Errorf("%d files of an owner are read, want half of %d", d.limits.Files, scanFiles)
		}
	}
}

// TestOwnersHaveListsW22: each owner has a SHA256SUMS of its own, and a broken one stops nobody else.
func TestOwnersHaveListsW22(t *testing.T) {
	f := followOwners(t, map[string]string{"a/K.g_v1_v2.wasm": "good_echo", "a/" + sums.ListFile: "not a list", "b/L.g_v1_v2.wasm": "good_echo",
		"b/" + sums.ListFile: listOf(map[string]string{"L.g_v1_v2.wasm": "good_echo"})}, Config{})
	f.until("the other owner serves, from its list", func() bool { s := f.status("b/L.g_v1_v2.wasm"); return s.State == StateServing && s.Listed })
	if s := f.status("a/K.g_v1_v2.wasm"); s.State != StateFailed || !strings.Contains(s.LastError, "SHA256SUMS: line 1") {
		t.Errorf("a module beside a broken list: %+v", s)
	}
	if a, b := f.status("a/"+sums.ListFile), f.status("b/"+sums.ListFile); a.State != StateRefused || b.State != StateListing {
		t.Errorf("the lists: %+v, %+v", a, b)
	}
}

// TestUnreadableDirectoryOfAnOwnerW22: an owner whose directory cannot be read keeps what it serves,
// and keeps no other from becoming ready, from updates or from its kinds.
func TestUnreadableDirectoryOfAnOwnerW22(t *testing.T) {
	f := followOwners(t, map[string]string{"a/K.g_v1_v2.wasm": "good_echo", "b/L.g_v1_v2.wasm": "good_echo"}, Config{})
	f.until("both serve", func() bool { return f.serves("a/K.g_v1_v2.wasm")() && f.serves("b/L.g_v1_v2.wasm")() })
	if err := os.Symlink("nowhere", filepath.Join(f.dir, "b", "..data")); err != nil {
		t.Fatal(err)
	}
	f.until("the problem names the owner", func() bool { return strings.HasPrefix(f.Problem(), "owner b: ") })
	f.put("a/M.g_v1_v2.wasm", "good_echo")
	f.until("a new module of the other owner serves", f.serves("a/M.g_v1_v2.wasm"))
	if !f.serves("b/L.g_v1_v2.wasm")() {
		t.Errorf("the owner's own module: %+v", f.status("b/L.g_v1_v2.wasm"))
	}
	f.remove("b/..data")
	f.until("the problem is over", func() bool { return f.Problem() == "" })
}

// TestUnreadDirectoryDelaysTheStartForAWhileW22: while a directory hangs at the first scan, the
// others wait for it until startPatience is over, and no longer.
func TestUnreadDirectoryDelaysTheStartForAWhileW22(t *testing.T) {
	a, b := &followed{directory: directory{source: source{owner: "a"}}}, &followed{directory: directory{source: source{owner: "b"}}}
	ds := &directories{all: []*followed{a, b}, began: time.Now()}
	if _, enough := ds.combine(a, Scan{}); enough {
		t.Error("the scan of one directory of two was enough at once")
	}
	ds.began = time.Now().Add(-startPatience)
	all, enough := ds.combine(a, Scan{})
	if !enough || all.partial("a") || !all.partial("b") {
		t.Errorf("after the patience: enough %v, partial %v and %v", enough, all.partial("a"), all.partial("b"))
	}
	ds.began = time.Now()
	if _, enough := ds.combine(b, Scan{}); !enough {
		t.Error("the scans of both directories were not enough")
	}
}

// TestUnsettledOwners: the scan of all directories is unsettled while a file of any of them is
// being written; a directory that cannot be read keeps its files and is not waited for.
func TestUnsettledOwners(t *testing.T) {
	a, b := &followed{directory: directory{source: source{owner: "a"}}}, &followed{directory: directory{source: source{owner: "b"}}}
	ds := &directories{all: []*followed{a, b}, began: time.Now()}
	writing := Scan{Snapshot: watch.Snapshot{Unsettled: true, Files: []watch.File{{Name: "K.g_v1_v2.wasm"}}}}
	ds.combine(a, writing)
	for _, tc := range []struct {
		name     string
		a        Scan
		want     bool
		problems int
	}{
		{"a file is being written", writing, true, 0},
		{"its directory cannot be read", Scan{Err: errors.New("gone")}, false, 1},
		{"it is written", Scan{Snapshot: watch.Snapshot{Files: writing.Files}}, false, 0},
	} {
		ds.combine(a, tc.a)
		all, _ := ds.combine(b, Scan{})
		if all.Unsettled != tc.want || all.UnsettledFor("a/K.g_v1_v2.wasm") != tc.want || all.UnsettledFor("b/K.g_v1_v2.wasm") {
			t.Errorf("%s: unsettled %v, for its owner %v, want %v", tc.name, all.Unsettled, all.UnsettledFor("a/K.g_v1_v2.wasm"), tc.want)
		}
		if len(all.Files) != 1 || (all.of("a").Err != nil) != (tc.problems == 1) {
			t.Errorf("%s: files %v, error %v", tc.name, all.Files, all.of("a").Err)
		}
	}
}
