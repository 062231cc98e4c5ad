package bundle

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/wasmfile"
	"github.com/crosswalk-gateway/crosswalk/runtime/meter"
)

// interpreterOf builds a program for WASI with Go.
func interpreterOf(t *testing.T, dir string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "interpreter.wasm")
	build := exec.Command("go", "build", "-trimpath", "-o", file, ".")
	build.Dir, build.Env = dir, append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v: %s", err, out)
	}
	return read(t, file)
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// run runs a module without a file system and without arguments.
func run(t *testing.T, module []byte, stdin string) (stdout, stderr string, code uint32) {
	t.Helper()
	r := wazero.NewRuntime(t.Context())
	defer r.Close(context.Background())
	wasi_snapshot_preview1.MustInstantiate(t.Context(), r)
	var out, errs bytes.Buffer
	config := wazero.NewModuleConfig().WithName("").WithStdin(strings.NewReader(stdin)).WithStdout(&out).WithStderr(&errs)
	_, err := r.InstantiateWithConfig(t.Context(), module, config)
	if exit := (*sys.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), code
}

// TestProgramReadsItsFiles runs a program of Go, whose allocator claims all memory that it begins
// with.
func TestProgramReadsItsFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles Go's runtime")
	}
	large := make([]byte, 3<<20)
	for i := range large {
		large[i] = byte(i * 7 >> 3)
	}
	files := []File{{"script.txt", []byte("one\ntwo\n")}, {"lib/a.txt", []byte("A")}, {"lib/empty", nil}, {"lib/deep/er/b", []byte("B")}, {"large", large}}
	for i := range 300 { // more than one buffer of names
		files = append(files, File{fmt.Sprintf("many/a-name-of-some-length-%03d", i), fmt.Append(nil, i)})
	}
	module, err := Module(interpreterOf(t, "testdata/observer"), files, []string{"observer", "-x", "/script.txt"})
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := run(t, module, "from stdin")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	var got, want map[string]any
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatalf("%v: %s", err, stdout)
	}
	if err := json.Unmarshal(read(t, "testdata/observed.json"), &want); err != nil {
		t.Fatal(err)
	}
	for key := range want {
		if fmt.Sprint(got[key]) != fmt.Sprint(want[key]) {
			t.Errorf("%s:\n got %v\nwant %v", key, got[key], want[key])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d observations instead of %d: %s", len(got), len(want), stdout)
	}
}

// TestHostFunctionsInTables calls replaced functions of the host by way of tables, of all forms of
// element segments. The program exits with the sum of the answers.
func TestHostFunctionsInTables(t *testing.T) {
	module, err := Module(read(t, "testdata/tables.wasm"), []File{{"s", nil}}, []string{"p", "a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, code := run(t, module, ""); code != 18 {
		t.Errorf("the program exits with %d instead of 18", code)
	}
}

// TestThrow: functions return with results of all types return while an error is on its way, up to the call
// before that of caught.
func TestThrow(t *testing.T) {
	module, err := Module(read(t, "testdata/throw.wasm"), []File{{"s", nil}}, []string{"p"})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, code := run(t, module, ""); code != 11 {
		t.Errorf("the program exits with %d instead of 11", code)
	}
}

func TestModuleRefuses(t *testing.T) {
	const header = "\x00asm\x01\x00\x00\x00"
	section := func(id byte, body string) string { return string([]byte{id, byte(len(body))}) + body }
	start := section(1, "\x01\x60\x00\x00") + section(3, "\x01\x00") + section(5, "\x01\x00\x01")
	exporting := func(name string) string { return section(7, "\x01"+string(byte(len(name)))+name+"\x00\x00") }
	code := section(10, "\x01\x02\x00\x0b")
	command := header + start + exporting("_start") + code
	foreign := header + section(1, "\x01\x60\x00\x00") + section(2, "\x01\x03env\x01f\x00\x00") + section(3, "\x01\x00") + section(5, "\x01\x00\x01") +
		section(7, "\x01\x06_start\x00\x01") + code
	const closing = "\x16wasi_snapshot_preview1\x08fd_close\x00\x00"
	mistyped := strings.Replace(foreign, section(2, "\x01\x03env\x01f\x00\x00"), section(2, "\x01"+closing), 1)
	for _, c := range []struct {
		name, interpreter string
		files             []File
		arguments         []string
		want              string
	}{
		{"not a module", "#!/usr/bin/lua", nil, nil, "not a module that can be run: module, byte 0: does not begin like a WebAssembly module"},
		{"a component", "\x00asm\x0d\x00\x01\x00", nil, nil, "not a module that can be run: module, byte 4: is a component; only core modules can be run: build the same source for wasm32-wasip1; crosswalk compile takes JavaScript, and Python with an interpreter"},
		{"exceptions", header + section(13, "\x01\x00\x00"), nil, nil, "not a module that can be run: module, byte 8: has a section of tags: exceptions are not supported"},
		{"garbage collection", header + section(1, "\x01\x5f\x00"), nil, nil, "not a module that can be run: type section, byte 11: 0x5f begins no function type (garbage collection and typed references are not supported)"},
		{"threads", header + section(5, "\x01\x03\x01\x01"), nil, nil, "not a module that can be run: memory section, byte 11: limits of kind 0x03: shared and 64-bit memories are not supported"},
		{"a converter", header + start + exporting("crosswalk_abi_v1") + code, nil, nil, "exports crosswalk_abi_v1: it is a converter, which needs no bundle"},
		{"a library", header + start + exporting("_initialize") + code, nil, nil, "exports _initialize and not _start: it is a library (a WASI reactor), and bundle needs a command, a program with main"},
		{"no program", header + start + exporting("main") + code, nil, nil, "does not export _start: it is not a WASI command, a program with main built for wasm32-wasip1"},
		{"no memory", header + section(1, "\x01\x60\x00\x00") + section(3, "\x01\x00") + exporting("_start") + code, nil, nil, "has no memory at start"},
		{"another host", foreign, nil, nil, `imports "env"."f": a gateway gives modules WASI preview 1 only (wasi_snapshot_preview1); build the interpreter without it, for example without JavaScript's glue`},
		{"another type", mistyped, nil, nil, "imports wasi_snapshot_preview1.fd_close with type () -> () (WASI says (i32) -> i32)"},
		{"no function", header + section(1, "\x01\x60\x00\x00") + section(2, "\x01"+closing) + section(5, "\x01\x00\x01") + exporting("_start"), nil, nil, "has no functions of its own"},
		{"one path twice", command, []File{{"a", nil}, {"a", nil}}, nil, "two files have the path /a in the module"},
		{"a file and a directory", command, []File{{"a", nil}, {"a/b", nil}}, nil, "the path /a is a file and a directory in the module"},
		{"a directory and a file", command, []File{{"a/b", nil}, {"a", nil}}, nil, "two files have the path /a in the module"},
		{"a path upwards", command, []File{{"../a", nil}}, nil, `"../a" is not a path of a file in a module`},
		{"a NUL", command, nil, []string{"a\x00b"}, `the argument "a\x00b" has a character 0`},
		{"too much", command, []File{{"a", make([]byte, MaxContent)}, {"b", []byte{1}}}, nil, "the files have more than 64 MiB"},
	} {
		if _, err := Module([]byte(c.interpreter), c.files, c.arguments); err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
		}
	}
	var many []File
	for i := range MaxFiles {
		many = append(many, File{fmt.Sprint(i), nil})
	}
	if _, err := Module([]byte(command), many, nil); err == nil || err.Error() != "more than 10000 files and directories" {
		t.Errorf("too many files: %v", err)
	}
}

// TestReturnsAreBounded links an interpreter with many calls in a function with many results: a return of
// 1.8 KB after each call of two bytes.
func TestReturnsAreBounded(t *testing.T) {
	vectors := append([]byte{0x60, 0, 100}, bytes.Repeat([]byte{0x7b}, 100)...)
	body := append([]byte{0}, bytes.Repeat([]byte{0x10, 0, 0x1a}, 2000)...) // call throw, drop
	body = append(body, 0x00, 0x0b)
	name := func(s string) []byte { return append([]byte{byte(len(s))}, s...) }
	code := append([]byte{2, 2, 0, 0x0b}, binary.AppendUvarint(nil, uint64(len(body)))...)
	interpreter := wasmfile.Assemble([]wasmfile.Section{
		{ID: wasmfile.Type, Body: append([]byte{3, 0x60, 0, 0, 0x60, 0, 1, 0x7f}, vectors...)},
		{ID: wasmfile.Import, Body: slices.Concat([]byte{1}, name(own), name(throw), []byte{0, 1})},
		{ID: wasmfile.Function, Body: []byte{2, 0, 2}},
		{ID: wasmfile.Memory, Body: []byte{1, 0, 1}},
		{ID: wasmfile.Export, Body: slices.Concat([]byte{1}, name("_start"), []byte{0, 1})},
		{ID: wasmfile.Code, Body: append(code, body...)},
	})
	const want = "linking: the returns after calls would take more than 4 times the bytes of the interpreter's functions: its functions have too many results"
	if _, err := Module(interpreter, []File{{"s", nil}}, nil); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestDamagedInterpreters links interpreters with random damage: each is refused, or makes a module
// that is valid.
func TestDamagedInterpreters(t *testing.T) {
	whole := read(t, "testdata/tables.wasm")
	random := rand.New(rand.NewPCG(1, 2))
	linked := 0
	for range 20_000 {
		damaged := bytes.Clone(whole)
		for range 1 + random.IntN(3) {
			damaged[random.IntN(len(damaged))] = byte(random.Uint32())
		}
		module, err := Module(damaged[:len(damaged)-random.IntN(2)], []File{{"s", nil}}, nil)
		if err != nil {
			continue
		}
		linked++
		if _, err := meter.Scan(module, meter.Limits{}); err != nil {
			t.Fatalf("%v\nof %x", err, damaged)
		}
	}
	if linked < 100 {
		t.Errorf("only %d damaged interpreters were linked", linked)
	}
}

// TestShimIsBuiltFromSource compares files.wasm with its source.
func TestShimIsBuiltFromSource(t *testing.T) {
	if _, err := exec.LookPath("wat2wasm"); err != nil {
		t.Skip("wat2wasm is not installed (apt-get install wabt)")
	}
	for source, want := range map[string][]byte{"files.wat": shim, "testdata/tables.wat": read(t, "testdata/tables.wasm"), "testdata/throw.wat": read(t, "testdata/throw.wasm")} {
		file := filepath.Join(t.TempDir(), "built.wasm")
		if out, err := exec.Command("wat2wasm", source, "-o", file).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if !bytes.Equal(read(t, file), want) {
			t.Errorf("%s was changed: run wat2wasm %s -o %s", source, source, strings.TrimSuffix(source, ".wat")+".wasm")
		}
	}
}
