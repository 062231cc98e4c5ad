package wasi

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// wazeroGuest instantiates the same guest as newGuest on wazero's own WASI, with a world that
// behaves like a testHost.
func wazeroGuest(t testing.TB, pages int, stdin []byte) (context.Context, api.Module, *testHost) {
	t.Helper()
	h := &testHost{t: t}
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	wasi_snapshot_preview1.MustInstantiate(ctx, r)
	guest, err := r.InstantiateWithConfig(ctx, guestOf(Functions(), pages), wazero.NewModuleConfig().
		WithArgs("converter").
		WithWalltime(func() (int64, int32) { now := h.Walltime(); return now / 1e9, int32(now % 1e9) }, 1).
		WithNanotime(h.Nanotime, 1).
		WithRandSource(h).
		WithStdin(bytes.NewReader(stdin)).
		WithStdout(descriptor{h, 1}).
		WithStderr(descriptor{h, 2}))
	if err != nil {
		t.Fatal(err)
	}
	return ctx, guest, h
}

type descriptor struct {
	host *testHost
	fd   int
}

func (d descriptor) Write(p []byte) (int, error) {
	d.host.output[d.fd] = append(d.host.output[d.fd], p...)
	return len(p), nil
}

// TestFunctionsAreThoseOfWazero compares names and types.
func TestFunctionsAreThoseOfWazero(t *testing.T) {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer r.Close(ctx)
	theirs, err := wasi_snapshot_preview1.NewBuilder(r).Compile(ctx)
	if err != nil {
		t.Fatal(err)
	}
	all := theirs.ExportedFunctions()
	for _, f := range Functions() {
		want, ok := all[f.Name]
		if !ok || !slices.Equal(f.Params, want.ParamTypes()) || !slices.Equal(f.Results, want.ResultTypes()) {
			t.Errorf("%s: (%v) -> (%v); wazero has %v", f.Name, f.Params, f.Results, want)
		}
		delete(all, f.Name)
	}
	for name := range all {
		t.Errorf("%s is missing", name)
	}
}

// TestLikeWazero has guests on both implementations make the same calls at random, with valid,
// absurd and impossible parameters. Error numbers, memory, output and input must be the same.
func TestLikeWazero(t *testing.T) {
	const calls = 20_000
	random := rand.New(rand.NewPCG(1, 2))
	stdin := make([]byte, 1<<20)
	for i := range stdin {
		stdin[i] = byte(random.Uint32())
	}
	ctx, guest, h := newGuest(t, 2)
	h.stdin = stdin
	theirCtx, theirs, th := wazeroGuest(t, 2, stdin)
	const end = 2 << 16
	pick := func(from ...uint32) uint64 { return uint64(from[random.IntN(len(from))]) }
	pointer := func() uint64 {
		return pick(0, 8, 4096, 65_000, 65_536, random.Uint32N(end), end-64, end-32, end-24, end-8, end-4, end-1, end, end+1, 1<<31, 1<<32-1)
	}
	fd := func() uint64 { return pick(0, 0, 1, 1, 2, 3, 4, 100, 1<<31, 1<<32-1) }
	length := func() uint64 { return pick(0, 1, 7, 8, 9, 100, random.Uint32N(end), end, 1<<31, 1<<32-1) }
	good := map[string]int{}
	for n := range calls {
		var name string
		var params []uint64
		prepare := func(api.Memory) {}
		switch names := []string{"args_get", "args_sizes_get", "environ_sizes_get", "clock_res_get", "clock_time_get", "random_get",
			"fd_write", "fd_read", "fd_fdstat_get", "fd_filestat_get", "sched_yield", "poll_oneoff"}; random.IntN(len(names)) {
		case 0, 1, 2:
			name, params = names[random.IntN(3)], []uint64{pointer(), pointer()}
		case 3:
			name, params = "clock_res_get", []uint64{pick(0, 1, 4, 1<<32-1), pointer()}
		case 4:
			name, params = "clock_time_get", []uint64{pick(0, 1, 4, 1<<32-1), random.Uint64(), pointer()}
		case 5:
			name, params = "random_get", []uint64{pointer(), length()}
		case 6, 7:
			name = []string{"fd_write", "fd_read"}[random.IntN(2)]
			count := random.Uint32N(6)
			vectors := make([]uint32, 2*count)
			for i := range vectors {
				vectors[i] = uint32(pointer())
				if i%2 == 1 {
					vectors[i] = uint32(length())
				}
			}
			at := random.Uint32N(4096)
			params = []uint64{fd(), uint64(at), uint64(count), pointer()}
			for params[0] < stdio && (params[0] == 0) == (name == "fd_write") {
				params[0] = fd() // wazero looks at the list before it says that the descriptor is for the other direction
			}
			if random.IntN(10) == 0 {
				params[1] = pointer()
			}
			prepare = func(m api.Memory) {
				for i, v := range vectors {
					m.WriteUint32Le(at+uint32(i)*4, v)
				}
			}
		case 8:
			name, params = "fd_fdstat_get", []uint64{fd(), pointer()}
		case 9:
			name, params = "fd_filestat_get", []uint64{fd(), pointer()}
		case 10:
			name = "sched_yield"
		case 11:
			name = "poll_oneoff"
			count := random.Uint32N(5)
			subscriptions := make([]byte, count*subscriptionBytes)
			lastKind := byte(0)
			for i := range count {
				s := subscriptions[i*subscriptionBytes:]
				binary.LittleEndian.PutUint64(s, random.Uint64())
				// wazero answers reads of open files after the others, so they come last here. A
				// negative descriptor, which is as closed as any, fails its whole poll.
				s[8] = max(lastKind, []byte{eventClock, eventClock, eventFdWrite, 3}[random.IntN(4)])
				lastKind = s[8]
				if s[8] == 3 && random.IntN(2) == 0 {
					s[8] = eventFdRead
				}
				binary.LittleEndian.PutUint32(s[16:], random.Uint32N(5))
				if s[8] == eventFdRead {
					binary.LittleEndian.PutUint32(s[16:], random.Uint32N(3))
				}
				binary.LittleEndian.PutUint64(s[24:], random.Uint64()>>1)
				binary.LittleEndian.PutUint16(s[40:], uint16(pick(0, 0, 0, 0, 1, 2)))
			}
			at := random.Uint32N(4096)
			params = []uint64{uint64(at), uint64(8192 + random.Uint32N(4096)), uint64(count), uint64(random.Uint32N(20_000) + 20_000)}
			if random.IntN(10) == 0 {
				params[[]int{0, 1, 3}[random.IntN(3)]] = pick(end-1, end, 1<<31, 1<<32-1)
			}
			prepare = func(m api.Memory) { m.Write(at, subscriptions) }
		}
		prepare(guest.Memory())
		prepare(theirs.Memory())
		got, want := call(t, ctx, guest, name, params...), call(t, theirCtx, theirs, name, params...)
		if got != want {
			t.Fatalf("call %d: %s%v returns %d, wazero's %d", n, name, params, got, want)
		}
		ours, wants := memoryOf(guest), memoryOf(theirs)
		if got != success { // wazero's calls have done a part by then, which ours have not
			copy(ours, wants)
			h.output = th.output
			continue
		}
		good[name]++
		if !bytes.Equal(ours, wants) {
			t.Fatalf("call %d: %s%v leaves another memory than wazero's", n, name, params)
		}
		if !bytes.Equal(h.output[1], th.output[1]) || !bytes.Equal(h.output[2], th.output[2]) {
			t.Fatalf("call %d: %s%v wrote something else than wazero's", n, name, params)
		}
		h.output, th.output = [3][]byte{}, [3][]byte{}
	}
	for _, name := range []string{"args_get", "fd_write", "fd_read", "random_get", "poll_oneoff", "fd_fdstat_get"} {
		if good[name] < 50 {
			t.Errorf("only %d calls of %s succeeded", good[name], name)
		}
	}
	t.Log(good)
}

func memoryOf(guest api.Module) []byte {
	all, _ := guest.Memory().Read(0, guest.Memory().Size())
	return all
}

// TestInertLikeWazero calls every function that does nothing with an open file and with one that is
// not. Where wazero returns something else, the table says why.
func TestInertLikeWazero(t *testing.T) {
	different := map[string]string{
		"fd_fdstat_set_flags": "file descriptors 0 to 2 never block, so the flag that says so can be set",
		"fd_prestat_get":      "wazero reports a name of length 0 for descriptors 0 to 2, which are no directories",
		"fd_prestat_dir_name": "the same",
		"environ_get":         "wazero checks the pointers that it writes nothing to",
		"path_":               "one error number for all descriptors: there are no directories",
	}
	works := []string{"args_get", "args_sizes_get", "environ_sizes_get", "clock_res_get", "clock_time_get", "fd_fdstat_get",
		"fd_filestat_get", "fd_read", "fd_write", "poll_oneoff", "proc_exit", "random_get"} // TestLikeWazero
	for _, f := range Functions() {
		if slices.Contains(works, f.Name) {
			continue
		}
		family := f.Name
		if strings.HasPrefix(family, "path_") {
			family = "path_"
		}
		for _, fd := range []uint64{0, 1, 2, 3, 5, 1<<32 - 1} {
			if f.Name == "fd_filestat_set_times" && fd < stdio {
				continue // wazero's crashes
			}
			params := make([]uint64, max(len(f.Params), 1))
			params[0] = fd
			if f.Name == "path_symlink" {
				params[0], params[2] = 0, fd
			}
			for i := 1; i < len(f.Params); i++ { // pointers and lengths that are valid in every place
				if f.Params[i] == api.ValueTypeI32 && (f.Name != "path_symlink" || i != 2) && f.Name != "fd_advise" {
					params[i] = 32
				}
			}
			params = params[:len(f.Params)]
			switch f.Name {
			case "fd_allocate":
				params[2] = 10
			case "fd_pread", "fd_pwrite":
				params[1], params[2] = 256, 1
			case "sock_send":
				params[3] = 0 // no flags
			}
			ctx, guest, h := newGuest(t, 1)
			theirCtx, theirs, _ := wazeroGuest(t, 1, nil)
			for _, g := range []api.Module{guest, theirs} {
				g.Memory().Write(32, []byte("a-name-of-32-bytes-in-the-memory")) // a path
				g.Memory().WriteUint64Le(256, 4<<32|512)                         // a vector
			}
			before := slices.Clone(memoryOf(guest))
			got, want := call(t, ctx, guest, f.Name, params...), call(t, theirCtx, theirs, f.Name, params...)
			if got != want && different[family] == "" {
				t.Errorf("%s%v returns %d, wazero's %d", f.Name, params, got, want)
			}
			if got != want && fd == 5 && family != "fd_prestat_get" {
				t.Logf("%s%v returns %d, wazero's %d: %s", f.Name, params, got, want, different[family])
			}
			if !bytes.Equal(before, memoryOf(guest)) || h.chunks != 0 {
				t.Errorf("%s%v did something", f.Name, params)
			}
		}
	}
}

// TestDescriptorsStayOpen: file descriptors behave as before after a guest has closed, renumbered
// and changed all of them.
func TestDescriptorsStayOpen(t *testing.T) {
	ctx, guest, h := newGuest(t, 1)
	look := func() (seen []errno) {
		for fd := range uint64(8) {
			seen = append(seen, call(t, ctx, guest, "fd_fdstat_get", fd, 64), call(t, ctx, guest, "fd_filestat_get", fd, 128),
				call(t, ctx, guest, "fd_seek", fd, 0, 1, 64), call(t, ctx, guest, "fd_write", fd, 0, 1, 64),
				call(t, ctx, guest, "fd_read", fd, 0, 1, 64), call(t, ctx, guest, "fd_prestat_get", fd, 64))
		}
		return append(seen, errno(len(h.output[1])), errno(len(h.output[2])))
	}
	guest.Memory().WriteUint32Le(4, 3)
	first := look()
	h.output = [3][]byte{}
	for fd := range uint64(8) {
		call(t, ctx, guest, "fd_close", fd)
		call(t, ctx, guest, "fd_fdstat_set_flags", fd, 4)
		call(t, ctx, guest, "fd_fdstat_set_rights", fd, 0, 0)
		call(t, ctx, guest, "fd_filestat_set_size", fd, 1)
		for to := range uint64(8) {
			call(t, ctx, guest, "fd_renumber", fd, to)
		}
		call(t, ctx, guest, "path_open", fd, 0, 0, 4, 0, 0, 0, 0, 64)
		call(t, ctx, guest, "sock_accept", fd, 0, 64)
	}
	if then := look(); !slices.Equal(first, then) {
		t.Errorf("descriptors were %v and are %v", first, then)
	}
}
