package meter

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// conversion is one of the conversions that an example converter is tested with.
type conversion struct {
	DesiredAPIVersion string
	Objects           []json.RawMessage
}

// vectorsOf returns the conversions of each example converter, by the name of its module.
func vectorsOf(t *testing.T) map[string][]conversion {
	t.Helper()
	names, err := filepath.Glob("../../plugins/*/MODULE")
	if err != nil || len(names) == 0 {
		t.Fatalf("no example converters: %v", err)
	}
	all := map[string][]conversion{}
	for _, file := range names {
		name, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join("../../bin/vectors", filepath.Base(filepath.Dir(file))+".json"))
		if os.IsNotExist(err) {
			continue // there is no toolchain for any of its languages
		}
		if err != nil {
			t.Fatal(err)
		}
		var vectors []conversion
		if err := json.Unmarshal(text, &vectors); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all[strings.TrimSpace(string(name))] = vectors
	}
	return all
}

// TestRewrittenGuestsAgree starts and runs compiled converters, original and rewritten, on the
// compiler and the interpreter: the answers and the whole memory must be the same.
func TestRewrittenGuestsAgree(t *testing.T) {
	built, err := filepath.Glob("../../bin/plugins/*/*.wasm")
	if err != nil || len(built) == 0 {
		t.Skip("no converters in bin/plugins: run make plugins")
	}
	vectors := vectorsOf(t)
	for _, path := range built {
		t.Run(filepath.Base(filepath.Dir(path))+"/"+filepath.Base(path), func(t *testing.T) {
			cases := vectors[strings.TrimSuffix(filepath.Base(path), ".wasm")]
			if len(cases) == 0 {
				t.Skip("it has no vectors")
			}
			wasm, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if most := map[bool]int{false: 4 << 20, true: 200 << 10}[testing.Short()]; len(wasm) > most {
				t.Skip("compiling it takes long")
			}
			r, err := Rewrite(wasm, Limits{}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			command := isCommand(r.Module)
			for _, engine := range []struct {
				name   string
				config wazero.RuntimeConfig
				cases  []conversion
			}{
				{"compiled", wazero.NewRuntimeConfigCompiler(), cases},
				{"interpreted", wazero.NewRuntimeConfigInterpreter(), cases[:min(2, len(cases))]}, // fifty times as slow
			} {
				wantAnswers, wantMemory, _ := converse(t, engine.config, wasm, engine.cases, command)
				answers, memory, used := converse(t, engine.config, r.Wasm, engine.cases, command)
				if !bytes.Equal(answers, wantAnswers) || !bytes.Equal(memory, wantMemory) {
					t.Errorf("%s: rewritten, it answers %.300q, and %.300q as it was", engine.name, answers, wantAnswers)
				}
				if used < 1000 {
					t.Errorf("%s: used %d fuel", engine.name, used)
				}
				if len(answers) < 8*len(engine.cases) {
					t.Errorf("%s: %d bytes of answers", engine.name, len(answers))
				}
			}
		})
	}
}

// isCommand reports whether a module is a program, which starts anew for every batch.
func isCommand(m *Module) bool {
	return slices.ContainsFunc(m.Exports, func(e Export) bool { return e.Name == "_start" })
}

// converse starts a converter and converts with it. It returns all answers, the content of its
// memory, and the fuel used if it is metered.
func converse(t *testing.T, config wazero.RuntimeConfig, wasm []byte, cases []conversion, command bool) (answers, memory []byte, used int64) {
	t.Helper()
	if !command {
		m := newMachine(t, config, wasm, 1000)
		if f := m.module.ExportedFunction("_initialize"); f != nil {
			must(t, f)
		}
		for _, c := range cases {
			answers = append(answers, convertBatch(t, m.module, c)...)
		}
		memory, _ = m.module.Memory().Read(0, m.module.Memory().Size())
		if m.counter != nil {
			used = m.used()
		}
		return answers, memory, used
	}
	compiled := wazero.NewCompilationCache()                   // every case starts the program anew
	t.Cleanup(func() { compiled.Close(context.Background()) }) // after the runtimes
	for _, c := range cases {
		review, err := json.Marshal(map[string]any{"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
			"request": map[string]any{"uid": "u", "desiredAPIVersion": c.DesiredAPIVersion, "objects": c.Objects}})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		m := newMachineIn(t, config.WithCompilationCache(compiled), wasm, 1000, wazero.NewModuleConfig().WithArgs("converter").WithStdin(bytes.NewReader(review)).WithStdout(&out))
		_, err = m.module.ExportedFunction("_start").Call(context.Background())
		answers = append(answers, out.Bytes()...)
		if err != nil { // the exit code; a code other than 0 is a refusal
			answers = append(answers, err.Error()...)
		}
		used += m.granted
	}
	return answers, nil, used
}

// convertBatch has a module convert objects by the ABI and returns its response.
func convertBatch(t *testing.T, mod api.Module, v conversion) []byte {
	t.Helper()
	frame := binary.LittleEndian.AppendUint32(nil, uint32(len(v.Objects)))
	frame = binary.LittleEndian.AppendUint32(frame, uint32(len(v.DesiredAPIVersion)))
	frame = append(frame, v.DesiredAPIVersion...)
	for _, o := range v.Objects {
		frame = binary.LittleEndian.AppendUint32(frame, uint32(len(o)))
		frame = append(frame, o...)
	}
	at := must(t, mod.ExportedFunction("crosswalk_alloc"), uint64(len(frame)))
	mod.Memory().Write(uint32(at), frame)
	answer := must(t, mod.ExportedFunction("crosswalk_convert"), at, uint64(len(frame)))
	view, ok := mod.Memory().Read(uint32(answer>>32), uint32(answer))
	if !ok {
		t.Fatal("the response is not within memory")
	}
	return bytes.Clone(view)
}
