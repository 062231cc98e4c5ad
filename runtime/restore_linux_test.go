//go:build amd64 || arm64 || riscv64 || loong64

package runtime

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
)

// TestLargeImage has an image that is mapped, not copied.
func TestLargeImage(t *testing.T) {
	l := testLoader(t, smallLimits)
	m := loadFixture(t, l, "x13_state_large")
	if m.image == nil || m.image.file == nil {
		t.Fatal("the image is not a file")
	}
	for call := range 20 {
		got, _, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject})
		if err != nil || string(got[0]) != "{}" {
			t.Fatalf("call %d: %q, %v", call, got, err)
		}
	}
	before, _ := os.ReadDir("/proc/self/fd")
	m2, err := l.load(context.Background(), testName, fixture(t, "x13_state_large"))
	if err != nil {
		t.Fatal(err)
	}
	m2.close()
	after, _ := os.ReadDir("/proc/self/fd")
	if len(after) > len(before) {
		t.Errorf("%d open files before a module came and went, %d after", len(before), len(after))
	}
}

// TestImageHasHoles: what is zero in an image takes no memory, and reads as zero.
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

// heldBy is the memory that a file takes.
func heldBy(t testing.TB, file *os.File) int {
	t.Helper()
	var st syscall.Stat_t
	if err := syscall.Fstat(int(file.Fd()), &st); err != nil {
		t.Fatal(err)
	}
	return int(st.Blocks) * 512
}

// TestX13RestoreIsExact writes all over the memories of instances, of their image, beyond it, at their end and where they have
// grown, and wants every byte back; with the kernel's account of what was written and without; where that is little and where
// it is more than an instance may keep.
func TestX13RestoreIsExact(t *testing.T) {
	l := testLoader(t, smallLimits)
	for _, file := range []string{"good_echo", "x13_state_large"} {
		for _, account := range []bool{true, false} {
			m := loadFixture(t, l, file)
			if account && m.image.pagemap == nil {
				t.Log("no /proc/self/pagemap that can be relied upon: only the other way is tested")
				continue
			}
			if !account {
				m.image.pagemap.close()
				m.image.pagemap = nil
			}
			in, fault := m.newInstance(context.Background())
			if fault != nil {
				t.Fatal(fault)
			}
			want := make([]byte, 2*keepBytes+m.image.pages*pageSize) // as far as the test lets it grow
			copy(want, m.image.memory)
			r := rand.New(rand.NewPCG(1, 2))
			for round := range 150 {
				if r.IntN(3) == 0 {
					in.memory.Grow(uint32(r.IntN((len(want)-int(in.memory.Size()))/pageSize + 1)))
				}
				all, _ := in.memory.Read(0, in.memory.Size())
				if !bytes.Equal(all, want[:len(all)]) {
					t.Fatalf("%s, round %d: something of the round before is left, in %d bytes", file, round, len(all))
				}
				for range r.IntN(20) {
					at := r.IntN(len(all))
					clearTo(all[at:min(len(all), at+1<<r.IntN(16))], byte(r.Uint32()))
				}
				all[len(all)-1] ^= 0x5e
				if r.IntN(16) == 0 {
					clearTo(all, 0x5e) // everything
				}
				if !m.image.install(in) {
					t.Fatalf("%s, round %d: cannot be put back", file, round)
				}
				if got := in.memory.Size(); got != m.image.pages*pageSize {
					t.Fatalf("%s, round %d: has %d bytes", file, round, got)
				}
			}
			in.close()
		}
	}
}

func clearTo(b []byte, v byte) {
	for i := range b {
		b[i] = v
	}
}

// TestPagemapIsBelievedOnlyIfTrue: an account of something else, as of a kernel that hides it, is none.
func TestPagemapIsBelievedOnlyIfTrue(t *testing.T) {
	p := openPagemap()
	if p == nil {
		t.Skip("no /proc/self/pagemap that can be relied upon")
	}
	p.close()
	zeros, err := os.Open("/dev/zero")
	if err != nil {
		t.Skip(err)
	}
	other := &pagemap{zeros, os.Getpagesize()}
	defer other.close()
	if other.truthful() {
		t.Error("zeros were taken for an account of pages")
	}
}
