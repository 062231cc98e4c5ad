//go:build linux

package codecache

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func open(t *testing.T, dir string, max int64) *Cache {
	t.Helper()
	c, err := Open(dir, max)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// keep makes an entry.
func keep(t *testing.T, c *Cache, key Key, content string) {
	t.Helper()
	d, f, err := c.Begin()
	must(t, err)
	_, err = f.WriteString(content)
	must(t, errors.Join(err, f.Close()))
	must(t, d.Keep(key))
}

// numbered is the key of an entry of the account 0.
func numbered(n byte) Key { return Key{input: [sha256.Size]byte{n}} }

// find returns the content of an entry, "" if there is none.
func find(t *testing.T, c *Cache, key Key) (string, error) {
	t.Helper()
	f, err := c.Find(key)
	if err != nil || f == nil {
		return "", err
	}
	defer f.Close()
	return contentOf(t, f), nil
}

// contentOf returns the content of an entry without its seal.
func contentOf(t *testing.T, f *os.File) string {
	t.Helper()
	info, err := f.Stat()
	must(t, err)
	content := make([]byte, info.Size()-SealBytes)
	_, err = f.ReadAt(content, 0)
	must(t, err)
	return string(content)
}

func TestEntries(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	c := open(t, dir, 1<<20)
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("made with %v, %v", info.Mode(), err)
	}
	a, b := c.Key("", []byte("a"), []byte("b")), c.Key("", []byte("ab"), nil)
	if a == b || a != c.Key("", []byte("a"), []byte("b")) {
		t.Errorf("keys %v and %v", a, b)
	}
	c.identity[0]++
	if a == c.Key("", []byte("a"), []byte("b")) {
		t.Error("another program has the same key")
	}
	c.identity[0]--
	if got, err := find(t, c, a); got != "" || err != nil {
		t.Errorf("found %q, %v in an empty cache", got, err)
	}
	keep(t, c, a, "two")
	keep(t, c, a, "one") // too late
	keep(t, c, b, "three")
	_, left, err := c.Begin() // and the process dies
	must(t, err)
	must(t, left.Close())
	dropped, file, err := c.Begin()
	must(t, err)
	must(t, file.Close())
	dropped.Drop()
	must(t, os.MkdirAll(filepath.Join(c.base, numbered(7).String(), "code"), 0o700)) // an entry of an earlier version

	if _, err := Open(dir, 1<<20); !errors.Is(err, ErrInUse) {
		t.Errorf("opened twice: %v", err)
	}
	c.Close()
	c = open(t, dir, 1<<20)
	for key, want := range map[Key]string{a: "two", b: "three"} {
		if got, err := find(t, c, key); got != want || err != nil {
			t.Errorf("found %q, %v, want %q", got, err, want)
		}
	}
	if files := c.list(); len(files) != 2 {
		t.Errorf("the directory has %q", files)
	}
	c.Remove(a)
	if got, err := find(t, c, a); got != "" || err != nil {
		t.Errorf("found %q, %v after it was removed", got, err)
	}
}

// TestDamagedEntryIsRemovedM19: a damaged entry is not used, is reported, and is removed.
func TestDamagedEntryIsRemovedM19(t *testing.T) {
	const whole = "what a compiler wrote"
	for _, tc := range []struct {
		name, want string // want: what the error ends with
		damage     func(t *testing.T, entry string)
	}{
		{"empty", "its seal does not fit", func(t *testing.T, entry string) { must(t, os.Truncate(entry, 0)) }},
		{"truncated", "its seal does not fit", func(t *testing.T, entry string) { must(t, os.Truncate(entry, 5)) }},
		{"a bit flipped", "its seal does not fit", func(t *testing.T, entry string) {
			content, err := os.ReadFile(entry)
			must(t, err)
			content[1] ^= 1
			must(t, os.WriteFile(entry, content, 0o600))
		}},
		{"a byte more", "its seal does not fit", func(t *testing.T, entry string) { must(t, os.Truncate(entry, int64(len(whole)+SealBytes+1))) }},
		{"no seal", "its seal does not fit", func(t *testing.T, entry string) { must(t, os.Truncate(entry, int64(len(whole)))) }},
		{"half a seal", "its seal does not fit", func(t *testing.T, entry string) { must(t, os.Truncate(entry, int64(len(whole)+SealBytes/2))) }},
		{"a directory", "it is not a file", func(t *testing.T, entry string) {
			must(t, os.Remove(entry))
			must(t, os.MkdirAll(filepath.Join(entry, "code"), 0o700))
		}},
		{"another key's", "its seal does not fit", func(t *testing.T, entry string) {
			must(t, os.Rename(filepath.Join(filepath.Dir(entry), numbered(9).String()), entry))
		}},
		// M20: entries that another user put there before the directory became private are not
		// used.
		{"a link for the entry", "too many levels of symbolic links", func(t *testing.T, entry string) {
			elsewhere := filepath.Join(t.TempDir(), "entry")
			must(t, os.Rename(entry, elsewhere))
			must(t, os.Symlink(elsewhere, entry))
		}},
		{"a pipe for the entry", "it is not a file", func(t *testing.T, entry string) {
			must(t, os.Remove(entry))
			must(t, syscall.Mkfifo(entry, 0o600))
		}},
		{"others may write the entry", "others may write it (mode 0602)", func(t *testing.T, entry string) { must(t, os.Chmod(entry, 0o602)) }},
		{"a group may write the entry", "others may write it (mode 0720)", func(t *testing.T, entry string) { must(t, os.Chmod(entry, 0o720)) }},
		{"another's entry", "it belongs to user 65534, and the gateway is user 0", func(t *testing.T, entry string) { giveAway(t, entry) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "cache")
			c := open(t, dir, 1<<20)
			key := c.Key("", []byte(tc.name))
			keep(t, c, key, whole)
			keep(t, c, numbered(9), whole)
			tc.damage(t, filepath.Join(dir, key.String()))
			got, err := find(t, c, key)
			if got != "" || err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("compile cache: entry %.12s: ", key)) || !strings.HasSuffix(err.Error(), tc.want) {
				t.Errorf("found %q, error %v, want %s", got, err, tc.want)
			}
			if got, err := find(t, c, key); got != "" || err != nil {
				t.Errorf("at the second look it found %q, %v", got, err)
			}
			keep(t, c, key, whole)
			if got, err := find(t, c, key); got != whole || err != nil {
				t.Errorf("after it was made again it found %q, %v", got, err)
			}
		})
	}
}

// giveAway makes a file another user's, which takes a privileged user to try.
func giveAway(t *testing.T, path string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	must(t, os.Lchown(path, 65534, 65534))
}

// TestDirectoryOfOtherUserIsRejectedM20: a directory that another user could have written is
// rejected.
func TestDirectoryOfOtherUserIsRejectedM20(t *testing.T) {
	const advice = ": code from it would run in the gateway. Name a directory that does not exist, such as DIR/crosswalk, and the gateway makes one that is its own"
	for _, tc := range []struct {
		name, want string // DIR is replaced by the directory
		make       func(t *testing.T, dir string)
	}{
		{"its own", "", func(t *testing.T, dir string) { must(t, os.Mkdir(dir, 0o755)) }},
		{"does not exist", "", func(*testing.T, string) {}},
		{"nor does its parent", "mkdir DIR: no such file or directory", func(t *testing.T, dir string) { must(t, os.Remove(filepath.Dir(dir))) }},
		{"everybody's", "others may write it (mode 0777)" + advice, func(t *testing.T, dir string) {
			must(t, os.Mkdir(dir, 0o700))
			must(t, os.Chmod(dir, 0o777))
		}},
		{"everybody's, with the sticky bit", "others may write it (mode 0777)" + advice, func(t *testing.T, dir string) {
			must(t, os.Mkdir(dir, 0o700))
			must(t, os.Chmod(dir, 0o777|os.ModeSticky))
		}},
		{"a group's", "others may write it (mode 0770)" + advice, func(t *testing.T, dir string) {
			must(t, os.Mkdir(dir, 0o700))
			must(t, os.Chmod(dir, 0o770|os.ModeSetgid))
		}},
		{"another user's", "it belongs to user 65534, and the gateway is user 0" + advice, func(t *testing.T, dir string) {
			must(t, os.Mkdir(dir, 0o700))
			giveAway(t, dir)
		}},
		{"a link to a good one", "it is not a directory, or it is a symbolic link to one: name the directory itself", func(t *testing.T, dir string) {
			must(t, os.Mkdir(dir+"-good", 0o700))
			must(t, os.Symlink(dir+"-good", dir))
		}},
		{"a file", "it is not a directory, or it is a symbolic link to one: name the directory itself", func(t *testing.T, dir string) { must(t, os.WriteFile(dir, nil, 0o600)) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "parent", "cache")
			must(t, os.Mkdir(filepath.Dir(dir), 0o777))
			tc.make(t, dir)
			c, err := Open(dir, 1)
			got := ""
			if err != nil {
				got = strings.ReplaceAll(err.Error(), dir, "DIR")
			} else {
				c.Close()
			}
			if got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

// TestSwappedDirectoryIsNotUsedM20: a user who may write the directory above can put another in its
// place. The cache keeps using the directory that it checked.
func TestSwappedDirectoryIsNotUsedM20(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "cache")
	c := open(t, dir, 1<<20)
	key := c.Key("", []byte("a"))
	keep(t, c, key, "ours")
	found, err := c.Find(key)
	must(t, err)
	defer found.Close()

	must(t, os.Rename(dir, filepath.Join(parent, "aside")))
	theirs := filepath.Join(dir, key.String())
	must(t, os.Mkdir(dir, 0o777))
	must(t, os.WriteFile(theirs, []byte("theirs"), 0o666))
	if content := contentOf(t, found); content != "ours" {
		t.Errorf("what was found before has %s", content)
	}
	if got, err := find(t, c, key); got != "ours" || err != nil {
		t.Errorf("found %q, %v", got, err)
	}
	c.Remove(key)
	keep(t, c, key, "ours again")
	if content, err := os.ReadFile(theirs); err != nil || string(content) != "theirs" {
		t.Errorf("wrote into the other directory: %s, %v", content, err)
	}
}

// The least recently used entries are evicted.
func TestEviction(t *testing.T) {
	const size = 1000
	c := open(t, filepath.Join(t.TempDir(), "cache"), 3*(size+SealBytes))
	use := func(key Key, at time.Time) {
		must(t, os.Chtimes(filepath.Join(c.base, key.String()), at, at))
	}
	for _, name := range []string{strings.Repeat("ab", 64), "abc", "lost+found"} { // no entries, nor ours to remove
		must(t, os.Mkdir(filepath.Join(c.base, name), 0o700))
		defer func() {
			if _, err := os.Stat(filepath.Join(c.base, name)); err != nil {
				t.Error(err)
			}
		}()
	}
	long := time.Now().Add(-time.Hour)
	for i := range 3 {
		keep(t, c, numbered(byte(i)), strings.Repeat("x", size))
		use(numbered(byte(i)), long.Add(time.Duration(i)*time.Second))
	}
	for _, step := range []struct{ add, gone byte }{{3, 0}, {4, 1}} {
		keep(t, c, numbered(step.add), strings.Repeat("x", size))
		use(numbered(step.add), time.Now().Add(time.Duration(step.add)*time.Second))
		if got, err := find(t, c, numbered(step.gone)); got != "" || err != nil {
			t.Errorf("%d was to go: found %q, %v", step.gone, got, err)
		}
		if n := len(c.list()); n != 3+3 {
			t.Errorf("%d entries", n)
		}
	}
}

// TestEvictedEntryIsReadable: a user of an entry can read it after it was evicted.
func TestEvictedEntryIsReadable(t *testing.T) {
	c := open(t, filepath.Join(t.TempDir(), "cache"), 1) // room for the newest entry only
	keep(t, c, numbered(0), "x")
	f, err := c.Find(numbered(0))
	must(t, err)
	defer f.Close()
	keep(t, c, numbered(1), "y")
	if got, err := find(t, c, numbered(0)); got != "" || err != nil {
		t.Errorf("it is there: %q, %v", got, err)
	}
	if got := contentOf(t, f); got != "x" {
		t.Errorf("its user reads %q", got)
	}
}

// TestFoundEntryIsUsed: an entry that is found again goes after one that is not.
func TestFoundEntryIsUsed(t *testing.T) {
	const size = 1000
	c := open(t, filepath.Join(t.TempDir(), "cache"), 2*(size+SealBytes))
	for i := range byte(2) {
		keep(t, c, numbered(i), strings.Repeat("x", size))
		old := time.Now().Add(time.Duration(i)*time.Second - time.Hour)
		must(t, os.Chtimes(filepath.Join(c.base, numbered(i).String()), old, old))
	}
	if got, err := find(t, c, numbered(0)); got == "" || err != nil {
		t.Fatal(got, err)
	}
	keep(t, c, numbered(2), strings.Repeat("x", size))
	for i, there := range []bool{true, false, true} {
		if got, err := find(t, c, numbered(byte(i))); (got != "") != there || err != nil {
			t.Errorf("entry %d: found %q, %v", i, got, err)
		}
	}
}

// TestAccountsShareTheDirectory: an account that makes many entries removes its own, although those of
// another account were used longest ago, also after a restart.
func TestAccountsShareTheDirectory(t *testing.T) {
	const size = 1000
	dir := filepath.Join(t.TempDir(), "cache")
	c := open(t, dir, 6*(size+SealBytes))
	long := time.Now().Add(-time.Hour)
	of := func(account string, n int) Key { return c.Key(account, []byte{byte(n)}) }
	for i := range 3 {
		keep(t, c, of("quiet", i), strings.Repeat("x", size))
		must(t, os.Chtimes(filepath.Join(c.base, of("quiet", i).String()), long, long))
	}
	for i := range 20 {
		if i == 10 {
			c.Close()
			c = open(t, dir, 6*(size+SealBytes))
		}
		keep(t, c, of("busy", i), strings.Repeat("x", size))
	}
	for i := range 3 {
		if got, err := find(t, c, of("quiet", i)); len(got) != size || err != nil {
			t.Errorf("entry %d of the quiet account: found %.10q, %v", i, got, err)
		}
	}
	if n := len(c.list()); n != 6 {
		t.Errorf("%d entries, want 6: an account may use what the others leave", n)
	}
	if of("quiet", 0) == of("busy", 0) {
		t.Error("two accounts have one entry")
	}
}

// TestEvictionStopsAtTheShare: an account that holds most loses entries until another one holds as
// many; from there on, the least recently used goes, whose ever it is.
func TestEvictionStopsAtTheShare(t *testing.T) {
	const size = 1000
	c := open(t, filepath.Join(t.TempDir(), "cache"), 100*(size+SealBytes))
	of := func(account string, n int) Key { return c.Key(account, []byte{byte(n)}) }
	kept := func(account string, n int) (left int) {
		for i := range n {
			if _, err := os.Stat(filepath.Join(c.base, of(account, i).String())); err == nil {
				left++
			}
		}
		return left
	}
	long := time.Now().Add(-time.Hour)
	for account, n := range map[string]int{"quiet": 3, "busy": 5} {
		for i := range n {
			keep(t, c, of(account, i), strings.Repeat("x", size))
			used := long.Add(time.Duration(i) * time.Second)
			if account == "busy" {
				used = used.Add(time.Minute)
			}
			must(t, os.Chtimes(filepath.Join(c.base, of(account, i).String()), used, used))
		}
	}
	for _, step := range []struct {
		room        int64
		quiet, busy int
	}{{8, 3, 5}, {5, 2, 3}, {4, 2, 2}} {
		c.max = step.room * (size + SealBytes)
		c.evict(Key{})
		if quiet, busy := kept("quiet", 3), kept("busy", 5); quiet != step.quiet || busy != step.busy {
			t.Errorf("with room for %d entries, %d of the quiet and %d of the busy account are kept, want %d and %d", step.room, quiet, busy, step.quiet, step.busy)
		}
	}
}

func TestKeyNames(t *testing.T) {
	key := Key{input: [sha256.Size]byte{1}, account: [8]byte{2}}
	if got, ok := parseKey(key.String()); got != key || !ok {
		t.Errorf("%s is %v, %v", key, got, ok)
	}
	whole := strings.Repeat("ab", sha256.Size)
	for name, want := range map[string]bool{whole: true, whole + "-0000000000000000": true, whole + "-": false, whole + "-00": false, whole[2:]: false, whole + "ab": false, "served": false, "-": false, "": false} {
		if _, ok := parseKey(name); ok != want {
			t.Errorf("%q is the name of an entry: %v, want %v", name, ok, want)
		}
	}
}

func TestFeatures(t *testing.T) {
	for _, tc := range []struct{ cpuinfo, want string }{
		{"processor\t: 0\nflags\t\t: fpu sse4_1\nbugs\t: x\n\nprocessor\t: 1\nflags\t\t: other\n", " fpu sse4_1\n"},
		{"processor\t: 0\nFeatures\t: fp asimd\n", " fp asimd\n"},
		{"", ""},
	} {
		if got := features(tc.cpuinfo); got != tc.want {
			t.Errorf("%q has %q, want %q", tc.cpuinfo, got, tc.want)
		}
	}
}

// TestIdentity: code that another program compiled, or another processor runs, has another identity.
func TestIdentity(t *testing.T) {
	program, err := os.ReadFile("/proc/self/exe")
	must(t, err)
	about, err := os.ReadFile("/proc/cpuinfo")
	must(t, err)
	got, err := identity()
	must(t, err)
	if want := sha256.Sum256(append(program, features(string(about))...)); got != want {
		t.Errorf("%x, want the hash %x of this program and its processor's features", got, want)
	}
}

// TestHammer has goroutines keep, find and remove a few entries at once, in a directory with room
// for half of them: a found entry is complete, also when it is removed meanwhile.
func TestHammer(t *testing.T) {
	const keys, size = 4, 1000
	c := open(t, filepath.Join(t.TempDir(), "cache"), keys/2*(size+SealBytes))
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() { // ends after so many turns
			for turn := range 60 {
				key := numbered(byte((worker + turn) % keys))
				f, err := c.Find(key)
				if err != nil {
					t.Error(err)
					return
				}
				if f == nil {
					keep(t, c, key, strings.Repeat(string('a'+rune(key.input[0])), size))
					continue
				}
				if content := contentOf(t, f); content != strings.Repeat(string('a'+rune(key.input[0])), size) {
					t.Errorf("entry %d has %.20s", key.input[0], content)
				}
				f.Close()
			}
		})
	}
	wg.Wait()
	keep(t, c, numbered(keys), strings.Repeat("x", size))
	if n := len(c.list()); n > keys/2 {
		t.Errorf("%d entries in the end", n)
	}
}
