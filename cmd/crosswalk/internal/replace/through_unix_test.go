//go:build unix

package replace

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestFileIsWrittenAsOthersWrite: through a link, with the older file's mode or what the umask leaves,
// and into a pipe instead of its place.
func TestFileIsWrittenAsOthersWrite(t *testing.T) {
	before := syscall.Umask(0o027)
	defer syscall.Umask(before)
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	check := func(name, content string, mode fs.FileMode) {
		t.Helper()
		text, err := os.ReadFile(at(name))
		info, statErr := os.Lstat(at(name))
		if err != nil || statErr != nil || string(text) != content || info.Mode() != mode {
			t.Errorf("%s is %q with %v, %v, %v; want %q with %v", name, text, info.Mode(), err, statErr, content, mode)
		}
	}
	write := func(name, content string) {
		t.Helper()
		if err := File(at(name), []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	write("a", "old")
	check("a", "old", 0o640)
	if err := os.Chmod(at("a"), 0o604); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a", at("link")); err != nil {
		t.Fatal(err)
	}
	write("link", "new")
	check("a", "new", 0o604)
	check("link", "new", fs.ModeSymlink|0o777)

	if err := os.Symlink("nothing", at("broken")); err != nil {
		t.Fatal(err)
	}
	if err := File(at("broken"), []byte("new")); err == nil {
		t.Error("a file replaced a link to nothing")
	}
	if err := syscall.Mkfifo(at("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	read := make(chan string)
	go func() { // ends with the test's write, or the test ends
		text, err := os.ReadFile(at("pipe"))
		if err != nil {
			t.Error(err)
		}
		read <- string(text)
	}()
	write("pipe", "new")
	info, err := os.Stat(at("pipe"))
	if err != nil || info.Mode().Type() != fs.ModeNamedPipe {
		t.Fatalf("the pipe is %v, %v", info.Mode(), err)
	}
	if text := <-read; text != "new" {
		t.Errorf("the pipe's reader got %q", text)
	}
}
