//go:build amd64 || arm64 || riscv64 || loong64

package memory

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
)

// TestImageIsItsFile: the content of an image is its file and no copy, without pages of zeros at
// the end, and Close closes the file.
func TestImageIsItsFile(t *testing.T) {
	_, memory := instantiate(t, "good_echo")
	all, _ := memory.Read(0, memory.Size())
	page := os.Getpagesize()
	clear(all)
	all[2*page-1] = 1 // the last byte of the second page
	image := TakeImage(memory, nil)
	if !image.Mapped() {
		t.Skip("no files in memory")
	}
	if len(image.content) != 2*page || !bytes.Equal(image.content, all[:2*page]) {
		t.Errorf("the image has %d bytes, want %d", len(image.content), 2*page)
	}
	file := image.file
	if _, err := file.WriteAt([]byte{7}, 3); err != nil {
		t.Fatal(err)
	}
	if image.content[3] != 7 {
		t.Error("the content is not the file")
	}
	image.Close()
	if _, err := file.Stat(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// TestFillSaysWhatFailed: an image whose file takes no bytes is an error, and no image of zeros.
func TestFillSaysWhatFailed(t *testing.T) {
	content := []byte("content")
	for name, tc := range map[string]struct {
		flags int
		size  int
		want  string
	}{
		"cannot be sized":   {os.O_RDONLY, os.Getpagesize(), "sizing the image: "},
		"cannot be written": {os.O_WRONLY | os.O_APPEND, os.Getpagesize(), "writing the image: "}, // WriteAt refuses it
	} {
		path := t.TempDir() + "/file"
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := os.OpenFile(path, tc.flags, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := fill(file, content, tc.size); err == nil || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("a file that %s: %v", name, err)
		}
		file.Close()
	}
}

// TestWrittenPages: a page counts as written if it is present or swapped, and not of a file.
func TestWrittenPages(t *testing.T) {
	for entry, want := range map[uint64]bool{
		0: false, pagePresent: true, pageSwapped: true, pageOfFile: false,
		pagePresent | pageOfFile: false, pageSwapped | pageOfFile: false, 1 << 55: false,
	} {
		if got := written(entry); got != want {
			t.Errorf("%#x: %v, want %v", entry, got, want)
		}
	}
}

// TestCountsFault: a function that touches no new page has no page fault, but for those of the
// runtime itself, which come now and then.
func TestCountsFault(t *testing.T) {
	for range 1000 {
		if !countsFault(func() {}) {
			return
		}
	}
	t.Error("a function that does nothing has a page fault at every call")
}

// TestUnusedPagesWithGapsGoBack: unused pages that are not neighbours go back too, and those that
// are used stay known: a page that the kernel keeps, and the instance forgot, would carry bytes to
// the next batch.
func TestUnusedPagesWithGapsGoBack(t *testing.T) {
	w := newWatched(t, true)
	page := os.Getpagesize()
	w.run(func(all []byte) {
		for i := range 30 {
			all[3*i*page]++
		}
	})
	for range unusedBatches + 1 {
		w.run(func(all []byte) { all[30*page]++ })
	}
	known := len(w.linear.private)
	w.linear.Forget()
	w.reset()
	if kept := len(w.linear.private); kept > 5 || known > 5 {
		t.Errorf("%d private pages are known, and the kernel keeps %d; batches write to one", known, kept)
	}
}

// TestReallocateUpToTheReservation: a memory grows to the last byte of its reservation, and no further.
func TestReallocateUpToTheReservation(t *testing.T) {
	linear, _ := instantiate(t, "good_echo")
	most := uint64(len(linear.all))
	for size, want := range map[uint64]int{PageSize: PageSize, most: int(most), most + 1: 0} {
		if got := len(linear.Reallocate(size)); got != want {
			t.Errorf("%d bytes of %d: got %d, want %d", size, most, got, want)
		}
	}
}
