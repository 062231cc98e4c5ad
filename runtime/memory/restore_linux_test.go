//go:build amd64 || arm64 || riscv64 || loong64

package memory

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// TestImageHasHoles: pages of zeros in an image take no memory and read as zeros.
func TestImageHasHoles(t *testing.T) {
	page := os.Getpagesize()
	content := make([]byte, 300*page+5)
	for _, at := range []int{0, 7*page - 1, 7 * page, 100*page + 3, 300*page + 4} {
		content[at] = 1
	}
	file, size := memoryFile(content)
	if file == nil {
		t.Skip("no files in memory")
	}
	defer file.Close()
	got := make([]byte, size)
	if _, err := file.ReadAt(got, 0); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got[:len(content)], content) || size != 301*page {
		t.Errorf("%d bytes, and not the content", size)
	}
	if held := heldBy(t, file); held != 5*page {
		t.Errorf("it takes %d bytes, want %d", held, 5*page)
	}
}

// heldBy returns the memory that a file takes.
func heldBy(t testing.TB, file *os.File) int {
	t.Helper()
	var st syscall.Stat_t
	if err := syscall.Fstat(int(file.Fd()), &st); err != nil {
		t.Fatal(err)
	}
	return int(st.Blocks) * 512
}

// instantiate instantiates a module of runtime/testdata on a Linear memory.
func instantiate(t *testing.T, file string) (*Linear, api.Memory) {
	t.Helper()
	wasm, err := os.ReadFile(filepath.Join("..", "testdata", file+".wasm"))
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	config := wazero.NewRuntimeConfigInterpreter().WithMemoryLimitPages(1024).WithMemoryCapacityFromMax(true)
	r := wazero.NewRuntimeWithConfig(ctx, config)
	t.Cleanup(func() { _ = r.Close(ctx) })
	linear := &Linear{}
	guest, err := r.InstantiateWithConfig(experimental.WithMemoryAllocator(ctx, linear.Allocator()), wasm, wazero.NewModuleConfig().WithStartFunctions())
	if err != nil {
		t.Fatal(err)
	}
	return linear, guest.Memory()
}

// imageOf returns the image of an instance after it has written to the beginning of its memory. The
// caller closes it.
func imageOf(memory api.Memory) *Image {
	all, _ := memory.Read(0, memory.Size())
	r := rand.New(rand.NewPCG(3, 4))
	for i := range all[:min(len(all), 1<<20)-1000] {
		all[i] = byte(r.Uint32() >> 28)
	}
	return TakeImage(memory, nil)
}

// withoutFile returns an image for instances that cannot map it.
func withoutFile(im *Image) *Image {
	copied := &Image{content: bytes.Clone(im.content), pages: im.pages}
	copied.pagemap = im.pagemap
	return copied
}

// TestRestoreIsExactX13 writes all over the memories of instances: in their image, beyond it, at
// their end, and where they have grown. Install must restore every byte: with the kernel's pagemap
// and without, from a file and from a copy, for few written pages and for more than an instance may
// keep, and for guests that run under a watch, without one, or under one that ends early.
func TestRestoreIsExactX13(t *testing.T) {
	for _, tc := range []struct {
		name                 string
		noPagemap, noFile    bool
		unwatched, unguarded int // one of so many rounds
	}{
		{name: "watched", unwatched: 8, unguarded: 8},
		{name: "never watched", unwatched: 1, unguarded: 1},
		{name: "without pagemap", noPagemap: true, unwatched: 8, unguarded: 8},
		{name: "without file", noFile: true, unwatched: 8, unguarded: 8},
		{name: "without both", noPagemap: true, noFile: true, unwatched: 8, unguarded: 8},
	} {
		for _, file := range []string{"good_echo", "x13_state_large"} {
			linear, memory := instantiate(t, file)
			image := imageOf(memory)
			t.Cleanup(image.Close)
			if tc.noPagemap {
				image.pagemap.close()
				image.pagemap = nil
			}
			if tc.noFile {
				image = withoutFile(image)
			}
			r := rand.New(rand.NewPCG(1, 2))
			want := make([]byte, 2*KeepBytes+image.pages*PageSize) // as far as the test lets it grow
			copy(want, image.content)
			for round := range 150 {
				if r.IntN(tc.unwatched) == 0 {
					linear.Forget()
				} else {
					linear.Watch()
				}
				if r.IntN(3) == 0 {
					memory.Grow(uint32(r.IntN((len(want)-int(memory.Size()))/PageSize + 1)))
				}
				all, _ := memory.Read(0, memory.Size())
				if !bytes.Equal(all, want[:len(all)]) {
					t.Fatalf("%s, %s, round %d: bytes of the previous round are left, in %d bytes", tc.name, file, round, len(all))
				}
				if r.IntN(tc.unguarded) == 0 {
					linear.Unwatch(false)
				}
				scribble(r, all)
				linear.Unwatch(true)
				if !image.Install(linear, memory, nil) {
					t.Fatalf("%s, %s, round %d: cannot be reset", tc.name, file, round)
				}
				if got := memory.Size(); got != image.pages*PageSize {
					t.Fatalf("%s, %s, round %d: has %d bytes", tc.name, file, round, got)
				}
			}
		}
	}
}

// scribble writes to a few places of a memory, to its end, and seldom to all of it.
func scribble(r *rand.Rand, all []byte) {
	for range r.IntN(20) {
		at := r.IntN(len(all))
		clearTo(all[at:min(len(all), at+1<<r.IntN(16))], byte(r.Uint32()))
	}
	all[len(all)-1] ^= 0x5e
	if r.IntN(16) == 0 {
		clearTo(all, 0x5e) // everything
	}
}

func clearTo(b []byte, v byte) {
	for i := range b {
		b[i] = v
	}
}

// TestRestoreByCopy: the bytes behind the image are zero.
func TestRestoreByCopy(t *testing.T) {
	memory := bytes.Repeat([]byte{7}, 100)
	restoreByCopy(memory, &Image{content: []byte{1, 2, 0}})
	if want := append([]byte{1, 2}, make([]byte, 98)...); !bytes.Equal(memory, want) {
		t.Errorf("%v, want %v", memory, want)
	}
}

// TestGlobalsOfVectors: an instance with a mutable vector cannot be reset through its globals.
func TestGlobalsOfVectors(t *testing.T) {
	const wasm = "\x00asm\x01\x00\x00\x00" +
		"\x06\x1b\x02\x7f\x01\x41\x00\x0b\x7b\x01\xfd\x0c\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x0b" + // i32, v128
		"\x07\x09\x02\x01i\x03\x00\x01v\x03\x01"
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer r.Close(ctx)
	guest, err := r.Instantiate(ctx, []byte(wasm))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		names    []string
		globals  int
		portable bool
	}{{nil, 0, true}, {[]string{"i"}, 1, true}, {[]string{"i", "v"}, 1, false}, {[]string{"i", "none"}, 0, false}} {
		if globals, portable := Globals(guest, test.names); len(globals) != test.globals || portable != test.portable {
			t.Errorf("%q: %d globals, all: %v", test.names, len(globals), portable)
		}
	}
}

// TestMemoryAtItsMaximumIsNotRestored: it cannot shrink, so the instance must not be used again.
func TestMemoryAtItsMaximumIsNotRestored(t *testing.T) {
	for _, file := range []bool{true, false} {
		linear, memory := instantiate(t, "good_echo")
		image := imageOf(memory)
		t.Cleanup(image.Close)
		if !file {
			image = withoutFile(image)
		}
		for range 2 { // the second time, the memory is attached to the file
			if !image.Install(linear, memory, nil) {
				t.Fatal("a memory of the image's size cannot be restored")
			}
		}
		most, _ := memory.Definition().Max()
		if _, ok := memory.Grow(most - memory.Size()/PageSize); !ok {
			t.Fatalf("the memory does not grow to %d pages", most)
		}
		if image.Install(linear, memory, nil) {
			t.Errorf("image in a file: %v: a memory of %d bytes is said to be restored", file, memory.Size())
		}
	}
}

// TestPagemapRejectsWrongData: a file with other data, as a kernel that hides the pagemap shows, is
// rejected.
func TestPagemapRejectsWrongData(t *testing.T) {
	p := openPagemap()
	if p == nil {
		t.Skip("no usable /proc/self/pagemap")
	}
	p.close()
	zeros, err := os.Open("/dev/zero")
	if err != nil {
		t.Skip(err)
	}
	other := &pagemap{file: zeros, pageSize: os.Getpagesize()}
	defer other.close()
	if other.truthful() {
		t.Error("zeros were accepted as a pagemap")
	}
}
