package watch

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

func TestReadPlain(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.wasm", "a")
	put(t, dir, ".hidden.wasm", "h")
	put(t, dir, "..worse.wasm", "w")
	put(t, dir, "note.txt", "n")
	must(t, os.Mkdir(filepath.Join(dir, "below"), 0o755))
	put(t, dir, "below/b.wasm", "b")
	must(t, os.Symlink("below/b.wasm", filepath.Join(dir, "link.wasm")))
	s, err := Read(dir, ReadLimits{}, wasm)
	must(t, err)
	if got := fmt.Sprint(contents(s), reasons(s), s.Unsettled); got != "map[a.wasm:a link.wasm:b] map[] false" {
		t.Errorf("read %s", got)
	}
	if names := []string{s.Files[0].Name, s.Files[1].Name}; !slices.IsSorted(names) {
		t.Errorf("files come as %v", names)
	}
}

// TestOnlyRegularFilesAreOpenedW12: the reader names every entry that is not a file of the
// directory, and never opens it. A pipe must not block the reader, and a device must not act.
func TestOnlyRegularFilesAreOpenedW12(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	put(t, outside, "secret.wasm", "secret")
	put(t, dir, "good.wasm", "good")
	at := func(name string) string { return filepath.Join(dir, name) }
	must(t, os.Mkdir(at("dir.wasm"), 0o755))
	must(t, syscall.Mkfifo(at("pipe.wasm"), 0o644))
	must(t, os.Symlink("pipe.wasm", at("to-pipe.wasm")))
	must(t, os.Symlink("nothing", at("to-nothing.wasm")))
	must(t, os.Symlink("to-self.wasm", at("to-self.wasm")))
	must(t, os.Symlink(filepath.Join(outside, "secret.wasm"), at("absolute.wasm")))
	must(t, os.Symlink("../"+filepath.Base(outside)+"/secret.wasm", at("relative.wasm")))
	must(t, os.Symlink("../"+filepath.Base(dir)+"/good.wasm", at("out-and-in.wasm")))
	must(t, os.Symlink("..", at("up")))
	must(t, os.Symlink("up/"+filepath.Base(outside)+"/secret.wasm", at("by-two.wasm")))
	must(t, os.Symlink("/dev/zero", at("to-device.wasm")))
	must(t, syscall.Mknod(at("s.wasm"), syscall.S_IFSOCK|0o644, 0)) // to listen there, the path would have to be short
	const leaves = "is a symbolic link that is absolute or leads out of the directory"
	want := map[string]string{
		"dir.wasm": "is a directory", "pipe.wasm": "is a named pipe", "to-pipe.wasm": "is a named pipe", "s.wasm": "is a socket",
		"to-nothing.wasm": "is a symbolic link that leads nowhere", "to-self.wasm": "cannot be read: too many levels of symbolic links",
		"absolute.wasm": leaves, "relative.wasm": leaves, "out-and-in.wasm": leaves, "by-two.wasm": leaves, "to-device.wasm": leaves,
	}
	if err := syscall.Mknod(at("device.wasm"), syscall.S_IFCHR|0o666, 1<<8|5); err == nil { // /dev/zero, which never ends
		want["device.wasm"] = "is a device"
	} else {
		t.Logf("without a device: %v", err)
	}
	s, err := Read(dir, ReadLimits{}, wasm)
	must(t, err)
	if got := reasons(s); !maps.Equal(got, want) {
		t.Errorf("skipped\n%v, want\n%v", got, want)
	}
	if got := fmt.Sprint(contents(s)); got != "map[good.wasm:good]" {
		t.Errorf("read %s", got)
	}
	if first, second := fingerprintOf(dir), fingerprintOf(dir); first != second {
		t.Error("fingerprints of the same directory differ")
	}
}

// TestDirectoryIsPipeW12: the directory itself may be the pipe.
func TestDirectoryIsPipeW12(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pipe")
	must(t, syscall.Mkfifo(dir, 0o644))
	if _, err := Read(dir, ReadLimits{}, wasm); err == nil || !strings.HasSuffix(err.Error(), "/pipe: not a directory") {
		t.Errorf("error %v", err)
	}
	fingerprintOf(dir)
}

// An unreadable file does not affect the others, and read access to the directory is enough.
func TestReadWithoutPermission(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.wasm", "a")
	put(t, dir, "b.wasm", "b")
	must(t, os.Mkdir(filepath.Join(dir, "closed"), 0o700))
	put(t, dir, "closed/c.wasm", "c")
	must(t, os.Symlink("closed/c.wasm", filepath.Join(dir, "c.wasm")))
	must(t, os.Chmod(filepath.Join(dir, "a.wasm"), 0o644)) // regardless of the umask
	must(t, os.Chmod(filepath.Join(dir, "b.wasm"), 0))
	must(t, os.Chmod(filepath.Join(dir, "closed"), 0))
	must(t, os.Chmod(dir, 0o555))
	for d := dir; d != "/"; d = filepath.Dir(d) {
		if info, err := os.Stat(d); err == nil && d != dir && strings.HasPrefix(d, os.TempDir()+"/") {
			must(t, os.Chmod(d, info.Mode()|0o055)) // the test's own directories
		}
	}
	defer os.Chmod(filepath.Join(dir, "closed"), 0o700)
	defer os.Chmod(dir, 0o755)
	var s Snapshot
	var unfit string // why this machine cannot show it
	err := asNobody(func() (err error) {
		if _, err := os.ReadDir(dir); err != nil {
			unfit = fmt.Sprintf("others may not go to %s: %v", os.TempDir(), err)
			return nil
		}
		if f, err := os.Open(filepath.Join(dir, "b.wasm")); err == nil {
			unfit = "rights cannot be given up here: what nobody may read is read"
			return f.Close()
		}
		s, err = Read(dir, ReadLimits{}, wasm)
		return err
	})
	must(t, err)
	if unfit != "" {
		t.Skip(unfit)
	}
	want := map[string]string{"b.wasm": "cannot be read: permission denied", "c.wasm": "cannot be read: permission denied"}
	if got := reasons(s); !maps.Equal(got, want) || fmt.Sprint(contents(s)) != "map[a.wasm:a]" {
		t.Errorf("read %v, skipped %v", contents(s), got)
	}
}

// asNobody calls f on a thread without root's rights on other users' files.
func asNobody(f func() error) error {
	if os.Getuid() != 0 {
		return f()
	}
	done := make(chan error)
	go func() { // ends with f, and the thread with it
		runtime.LockOSThread()
		if err := syscall.Setfsuid(65532); err != nil {
			done <- err
			return
		}
		done <- f()
	}()
	return <-done
}

// /proc/self/mem is a regular file whose first byte cannot be read: EIO, as from a failing disk.
func TestReadFaultyFile(t *testing.T) {
	s, err := Read("/proc/self", ReadLimits{}, func(name string) bool { return name == "mem" || name == "comm" })
	must(t, err)
	if got := reasons(s); got["mem"] != "cannot be read: input/output error" || len(s.Files) != 1 {
		t.Errorf("read %v, skipped %v", contents(s), got)
	}
}

// A file that reports size 0 and never ends is cut off at the limit; /proc has files that report no
// size.
func TestReadFileWithoutSize(t *testing.T) {
	s, err := Read("/proc/self", ReadLimits{FileBytes: 100}, func(name string) bool { return name == "status" })
	must(t, err)
	if got := reasons(s); got["status"] != "is too large: the limit is 100 bytes" {
		t.Errorf("read %v, skipped %v", contents(s), got)
	}
}

// A copy is finished when Read takes it: just now, a while ago, or with a time in the future.
func TestReadFinishedCopy(t *testing.T) {
	for _, tc := range []struct {
		name  string
		shift time.Duration
		waits bool
	}{
		{"just now", 0, true},
		{"a while ago", -time.Minute, false},
		{"clock ahead", time.Hour, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, "a.wasm", "a")
			start := time.Now()
			must(t, os.Chtimes(filepath.Join(dir, "a.wasm"), start.Add(tc.shift), start.Add(tc.shift)))
			s, err := Read(dir, ReadLimits{Quiet: 100 * time.Millisecond}, wasm)
			must(t, err)
			if len(s.Files) != 1 || s.Unsettled {
				t.Errorf("read %v, skipped %v", contents(s), reasons(s))
			}
			if waited := time.Since(start) >= 100*time.Millisecond; tc.waits && !waited {
				t.Error("did not wait")
			}
		})
	}
}

// TestSnapshotHasNoPartOfSlowCopyW3: no snapshot taken during a slow copy has any of it, and one
// taken after it has all.
func TestSnapshotHasNoPartOfSlowCopyW3(t *testing.T) {
	t.Parallel() // it mostly waits
	dir := t.TempDir()
	put(t, dir, "good.wasm", "good")
	put(t, dir, "slow.wasm", "what was there before")
	f, err := os.Create(filepath.Join(dir, "slow.wasm"))
	must(t, err)
	var unsettled atomic.Int64
	var whole string        // of the copying goroutine until it is done
	var pause time.Duration // the longest between two writes and not less than it was, likewise
	done := make(chan struct{})
	go func() { // ends with the copy
		defer close(done)
		defer f.Close()
		for n, last := 0, time.Now(); n < 40 || n < 200 && unsettled.Load() == 0; n++ {
			part := fmt.Sprint(n, ",")
			before := time.Now()
			_, _ = io.WriteString(f, part)
			whole += part
			pause, last = max(pause, time.Since(last)), before
			time.Sleep(30 * time.Millisecond)
		}
	}()
	limits := ReadLimits{Quiet: time.Second}
	for {
		s, err := Read(dir, limits, wasm)
		must(t, err)
		got := contents(s)
		if got["good.wasm"] != "good" {
			t.Fatalf("read %v", got)
		}
		if content, taken := got["slow.wasm"]; taken {
			<-done
			if pause >= limits.Quiet {
				t.Skipf("the machine let the copy rest for %v, and a copy that rests for %v is taken for finished", pause, limits.Quiet)
			}
			if content != whole || s.Unsettled {
				t.Fatalf("took a part of the copy: %q; unsettled: %v", content, s.Unsettled)
			}
			break
		}
		if !s.Unsettled || reasons(s)["slow.wasm"] != "is still being written" {
			t.Fatalf("Unsettled %v, skipped %v", s.Unsettled, reasons(s))
		}
		unsettled.Add(1)
	}
	if unsettled.Load() == 0 {
		t.Error("no snapshot was taken during the copy")
	}
}

// A file that is replaced by renaming, as editors do, is whole at every moment.
func TestReadRenamedOver(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.wasm", "0")
	done := make(chan struct{})
	go func() { // ends after as many versions
		defer close(done)
		for i := range 500 {
			put(t, dir, ".a.wasm.swp", strings.Repeat(fmt.Sprint(i%10), 10_000))
			must(t, os.Rename(filepath.Join(dir, ".a.wasm.swp"), filepath.Join(dir, "a.wasm")))
		}
	}()
	whole := 0
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		s, err := Read(dir, ReadLimits{}, wasm)
		must(t, err)
		if len(s.Files) == 0 {
			if !s.Unsettled {
				t.Fatalf("skipped %v", reasons(s))
			}
			continue
		}
		content := string(s.Files[0].Content)
		if strings.Count(content, content[:1]) != len(content) {
			t.Fatal("read parts of two versions")
		}
		whole++
	}
	if whole == 0 {
		t.Error("no snapshot had the file")
	}
}

// overtaken is a file to which something happens after its first bytes were read.
type overtaken struct {
	*os.File
	happens func()
}

func (o *overtaken) Read(p []byte) (int, error) {
	n, err := o.File.Read(p[:min(4, len(p))])
	if o.happens != nil {
		o.happens()
		o.happens = nil
	}
	return n, err
}

// A file that is written while it is read is never taken with bytes of two versions, even if its
// size and time do not show the write. The same goes for a file that was replaced meanwhile.
func TestReadOvertaken(t *testing.T) {
	for _, tc := range []struct {
		name    string
		happens func(t *testing.T, path string)
		want    string
	}{
		{"nothing", func(*testing.T, string) {}, ""},
		{"replaced", func(t *testing.T, path string) { must(t, os.Rename(path+".new", path)) }, "is still being written"},
		{"rewritten", func(t *testing.T, path string) {
			must(t, os.WriteFile(path, []byte("BBBBBBBB"), 0o644))
		}, "is still being written"},
		{"rewritten and dated back", func(t *testing.T, path string) {
			must(t, os.WriteFile(path, []byte("BBBBBBBB"), 0o644))
			age(t, path)
		}, "is still being written"},
		{"appended to", func(t *testing.T, path string) {
			must(t, os.WriteFile(path, []byte("AAAAAAAAAAAA"), 0o644))
		}, "is still being written"},
		{"cut off", func(t *testing.T, path string) { must(t, os.Truncate(path, 2)) }, "is still being written"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "a.wasm")
			must(t, os.WriteFile(path+".new", []byte("BBBBBBBB"), 0o644))
			must(t, os.WriteFile(path, []byte("AAAAAAAA"), 0o644))
			age(t, path)
			tick(t, dir, path)
			f, err := os.Open(path)
			must(t, err)
			defer f.Close()
			info, err := f.Stat()
			must(t, err)
			var content bytes.Buffer
			_, err = readAll(&content, &overtaken{f, func() { tc.happens(t, path) }}, info, 8)
			if tc.want == "" && (err != nil || content.String() != "AAAAAAAA") || tc.want != "" && (err == nil || err.Error() != tc.want) {
				t.Errorf("read %q, error %v; want error %q", &content, err, tc.want)
			}
		})
	}
}

// tick waits until the file system's clock, which counts milliseconds, tells a change of now from
// the last change of a file.
func tick(t *testing.T, dir, path string) {
	t.Helper()
	changed := func(path string) syscall.Timespec {
		var info syscall.Stat_t
		must(t, syscall.Stat(path, &info))
		return info.Ctim
	}
	probe := filepath.Join(dir, ".probe")
	eventually.True(t, "a tick of the file system's clock", func() bool {
		must(t, os.WriteFile(probe, nil, 0o644))
		return changed(probe) != changed(path)
	})
}

// TestFileBecomesPipeW12: a pipe that takes the place of a file after the first look at it must not
// stop the reader.
func TestFileBecomesPipeW12(t *testing.T) {
	dir := t.TempDir()
	must(t, syscall.Mkfifo(filepath.Join(dir, "a.wasm"), 0o644))
	root, err := os.OpenRoot(dir)
	must(t, err)
	defer root.Close()
	opened := make(chan error, 1)
	go func() { // ends with the opening, or with the writer below
		_, _, err := entry{root: root, name: "a.wasm"}.openUnblocked()
		opened <- err
	}()
	select {
	case err := <-opened:
		if err == nil || err.Error() != "is a named pipe" {
			t.Errorf("opening a pipe: %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("the reader waits for a pipe")
		writer, err := os.OpenFile(filepath.Join(dir, "a.wasm"), os.O_WRONLY, 0)
		must(t, err)
		writer.Close()
	}
}
