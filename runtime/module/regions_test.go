package module

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero/api"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
)

// FuzzRegions has a guest name any place as its buffer and any as its response, over any memory:
// there is an answer within the response, or a fault that names the problem; nothing is read or
// written outside of memory, which would be a panic.
func FuzzRegions(f *testing.F) {
	f.Add(uint32(1024), uint32(16), uint32(10), uint32(16), []byte("\x00\x00\x00\x00\x02\x00\x00\x00{}"))
	f.Add(uint32(1024), uint32(1032), uint32(40), uint32(1024), []byte("")) // the response over the request
	f.Add(uint32(0), uint32(0), uint32(0), uint32(0), []byte{})
	f.Add(uint32(65530), uint32(65536), uint32(0), uint32(0), []byte{})
	f.Add(uint32(0xffffffff), uint32(0xffffffff), uint32(0xffffffff), uint32(0), []byte{})
	f.Add(uint32(8), uint32(0xfffffff0), uint32(0x20), uint32(65535), []byte{1})
	m := loadFixture(f, testLoader(f, smallLimits), "a01_told")
	in, fault := m.program.newInstance(context.Background())
	if fault != nil {
		f.Fatal(fault)
	}
	f.Cleanup(in.close)
	buffer, response := in.guest.ExportedGlobal("buffer").(api.MutableGlobal), in.guest.ExportedGlobal("response").(api.MutableGlobal)
	objects := [][]byte{[]byte(`{"kind":"K"}`)}
	f.Fuzz(func(t *testing.T, at, ptr, n, where uint32, content []byte) {
		if !in.reset() {
			t.Fatal("cannot be put back")
		}
		buffer.Set(uint64(at))
		response.Set(uint64(ptr)<<32 | uint64(n))
		in.memory.Write(where, content)
		converted, refused, fault := in.batch(context.Background(), "g/v2", objects)
		if fault != nil {
			if converted != nil || refused != nil || fault.Kind != faults.ABI && fault.Kind != faults.Output && fault.Kind != faults.Memory {
				t.Fatalf("a %s fault (%v) with %q and %v", fault.Kind, fault, converted, refused)
			}
			return
		}
		if uint64(ptr)+uint64(n) > uint64(in.memory.Size()) || len(converted) != 1 || (converted[0] == nil) != (refused[0] != "") {
			t.Fatalf("the response of %d bytes at %d became %q, refused %v", n, ptr, converted, refused)
		}
		before := bytes.Clone(converted[0])
		if all, ok := in.memory.Read(0, in.memory.Size()); ok {
			clear(all)
		}
		if !bytes.Equal(before, converted[0]) {
			t.Fatal("the answer is the guest's memory")
		}
		if words := strings.ToValidUTF8(refused[0], ""); words != refused[0] {
			t.Fatalf("refused with %q", refused[0])
		}
	})
}

// TestCopyOut: a copy is whole at every size around that of a chunk, and shares no memory with the
// guest.
func TestCopyOut(t *testing.T) {
	for _, n := range []int{0, 1, copyBytes - 1, copyBytes, copyBytes + 1, 2 * copyBytes, 3*copyBytes - 1} {
		view := make([]byte, n)
		for i := range view {
			view[i] = byte(i % 251)
		}
		want := bytes.Clone(view)
		out := copyOut(view)
		clear(view)
		if !bytes.Equal(out, want) {
			t.Errorf("the copy of %d bytes differs", n)
		}
	}
}
