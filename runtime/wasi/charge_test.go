package wasi

import (
	"encoding/binary"
	"testing"
)

// TestWorkIsChargedFirst calls functions with the longest lists and buffers that a memory of 64 MiB
// has room for. The host counts the fuel, and fails the test when a chunk is larger than it may be
// or has not been paid for (testHost.work).
func TestWorkIsChargedFirst(t *testing.T) {
	const pages = 1024
	const memory = pages << 16
	list := func(count, size uint32) []byte { // of iovecs that all name the beginning of memory
		var b []byte
		for range count {
			b = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, 0), size)
		}
		return b
	}
	for _, tc := range []struct {
		name   string
		call   string
		params []uint64
		at1M   []byte // written to memory at 1 MiB
		stdin  int
		errno  errno
		fuel   int64
		chunks int
	}{
		{"8.4 million vectors", "fd_write", []uint64{1, 0, memory / 8, 0}, nil, 0, inval, CallFuel, 0},
		{"8.4 million vectors to read", "fd_read", []uint64{0, 0, memory / 8, 0}, nil, 0, inval, CallFuel, 0},
		{"2^29 vectors, 0 bytes modulo 2^32", "fd_write", []uint64{1, 0, 1 << 29, 0}, nil, 0, inval, CallFuel, 0},
		{"one vector more than allowed", "fd_write", []uint64{1, 1 << 20, maxVectors + 1, 0}, nil, 0, inval, CallFuel, 0},
		{"as many as allowed, empty", "fd_write", []uint64{1, 1 << 20, maxVectors, 0}, nil, 0, success, CallFuel + maxVectors*entryFuel, 0},
		{"as many as allowed, 256 KiB each", "fd_write", []uint64{2, 1 << 20, maxVectors, 0}, list(maxVectors, 256<<10), 0,
			success, CallFuel + maxVectors*entryFuel + maxVectors*256<<10/bytesPerFuel, maxVectors * 4},
		{"as many as allowed, 2 MiB each", "fd_write", []uint64{1, 1 << 20, maxVectors, 0}, list(maxVectors, 2<<20), 0,
			inval, CallFuel + maxVectors*entryFuel, 0},
		{"the last vector leads outside", "fd_write", []uint64{1, 1 << 20, 2, 0}, append(list(1, 64), list(1, memory+1)...), 0,
			fault, CallFuel + 2*entryFuel, 0},
		{"all of stdin", "fd_read", []uint64{0, 1 << 20, 3, 0}, list(3, 1<<20), 2 << 20,
			success, CallFuel + 3*entryFuel + (2<<20+chunk)/bytesPerFuel, 33},
		{"64 MiB of random bytes", "random_get", []uint64{0, memory}, nil, 0, success, CallFuel + memory/bytesPerFuel, memory / chunk},
		{"random bytes outside", "random_get", []uint64{1, memory}, nil, 0, fault, CallFuel, 0},
		{"a path of 64 MiB", "path_open", []uint64{3, 0, 0, memory, 0, 0, 0, 0, 0}, nil, 0, badf, CallFuel, 0},
		{"1.4 million subscriptions", "poll_oneoff", []uint64{0, 0, memory / 48, 0}, nil, 0, inval, CallFuel, 0},
		{"as many subscriptions as allowed", "poll_oneoff", []uint64{2 << 20, 3 << 20, maxSubscriptions, 0}, nil, 0,
			success, CallFuel + maxSubscriptions*entryFuel, 0},
		{"a directory", "fd_readdir", []uint64{3, 0, memory, 0, 0}, nil, 0, badf, CallFuel, 0},
		{"a socket", "sock_recv", []uint64{3, 0, memory / 8, 0, 0, 0}, nil, 0, badf, CallFuel, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ctx, guest, h := newGuest(t, pages)
			guest.Memory().Write(1<<20, tc.at1M)
			h.stdin = make([]byte, tc.stdin)
			if got := call(t, ctx, guest, tc.call, tc.params...); got != tc.errno {
				t.Errorf("errno %d, want %d", got, tc.errno)
			}
			if h.fuel != tc.fuel || h.chunks != tc.chunks {
				t.Errorf("%d fuel and %d chunks, want %d and %d", h.fuel, h.chunks, tc.fuel, tc.chunks)
			}
		})
	}
}

// TestEveryCallIsCharged: each function of the table takes the price of a call before it looks at
// its parameters.
func TestEveryCallIsCharged(t *testing.T) {
	for _, f := range Functions() {
		ctx, guest, h := newGuest(t, 1)
		params := make([]uint64, len(f.Params))
		for i := range params {
			params[i] = 0xffffffff
		}
		_, _ = guest.ExportedFunction(f.Name).Call(ctx, params...) // proc_exit unwinds the guest
		if h.fuel != CallFuel {
			t.Errorf("%s: charged %d, want %d", f.Name, h.fuel, CallFuel)
		}
	}
}
