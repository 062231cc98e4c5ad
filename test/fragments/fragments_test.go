// Package fragments counts the fuel that fragments of objects cost in a module, as a gateway does.
package fragments

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// TestCostOfFragments asserts the most that the conversion of a fragment may cost, as a multiple of
// the fuel of the whole object's, and that the search for its zeros has found all of them: a fragment
// of 100 containers has fuel enough for that.
func TestCostOfFragments(t *testing.T) {
	var log bytes.Buffer
	m := open(t, &log)
	for _, tc := range []struct {
		name, spec, settings string
		most                 float64
	}{
		{"tiny", `{"options":{"a0":1}}`, `{"a0":1}`, 8},
		{"tiny, with a zero", `{"options":{"a0":0}}`, `{"a0":0}`, 8},
		{"20 zeros", `{"options":` + zeros + `}`, kept, 10},
		{"10 containers", `{"template":` + template(10) + `}`, "", 5},
		{"100 containers", `{"template":` + template(100) + `}`, "", 5},
		{"100 containers, 20 zeros", `{"template":` + template(100) + `,"options":` + zeros + `}`, kept, 5},
		{"50 pools", `{"pools":` + pools(50, 0) + `}`, "", 6},
		{"500 pools", `{"pools":` + pools(500, 0) + `}`, "", 6},
		{"50 pools with templates", `{"pools":` + pools(50, 2) + `}`, "", 5},
	} {
		t.Run(tc.name, func(t *testing.T) {
			whole, _ := convert(t, m, tc.spec, `,"uid":"3a7c"`)
			log.Reset()
			fragment, result := convert(t, m, tc.spec, "")
			t.Logf("%d units, %.1f times the whole object's", fragment, float64(fragment)/float64(whole))
			if float64(fragment) > tc.most*float64(whole) {
				t.Errorf("the fragment costs %d units, %.1f times the %d of the whole object", fragment, float64(fragment)/float64(whole), whole)
			}
			if log.Len() > 0 {
				t.Errorf("the module logged %s", &log)
			}
			if got := settings(t, result); !reflect.DeepEqual(got, decoded(t, tc.settings)) {
				t.Errorf("settings: got %v, want %s", got, tc.settings)
			}
		})
	}
}

// TestCostlyFragment asserts that a fragment whose conversion costs more than a quarter of the fuel is
// converted without probes: a zero counts as not set, and the log says so.
func TestCostlyFragment(t *testing.T) {
	var log bytes.Buffer
	m := open(t, &log)
	const spec = `{"work":100000,"options":{"a0":0}}`
	whole, _ := convert(t, m, spec, `,"uid":"3a7c"`)
	if whole < 26e6 || whole > 90e6 {
		t.Fatalf("the whole object costs %d units, and should cost between a quarter and all of the fuel", whole)
	}
	fragment, result := convert(t, m, spec, "")
	if fragment > whole*3/2 {
		t.Errorf("the fragment costs %d units, the whole object %d", fragment, whole)
	}
	if got := settings(t, result); got != nil {
		t.Errorf("settings: got %v", got)
	}
	if want := "1 of its zeros, such as .spec.options.a0, count as not set"; !strings.Contains(log.String(), want) {
		t.Errorf("the module logged %q, without %q", &log, want)
	}
}

// convert converts an object with a spec, and with more metadata, and returns the fuel that it costs.
func convert(t *testing.T, m *module.Module, spec, metadata string) (fuel int64, result []byte) {
	t.Helper()
	object := `{"apiVersion":"fragments.example.com/v1","kind":"Set","metadata":{"name":"a"` + metadata + `},"spec":` + spec + `}`
	before := m.Work()
	results, refused, err := m.Convert(context.Background(), "fragments.example.com/v1", "fragments.example.com/v2", [][]byte{[]byte(object)})
	if err != nil || len(refused) > 0 {
		t.Fatal(err, refused)
	}
	return m.Work() - before, results[0]
}

// settings returns the settings in a result; nil if there are none.
func settings(t *testing.T, result []byte) any {
	t.Helper()
	var o struct {
		Spec struct{ Workload struct{ Settings any } }
	}
	if err := json.Unmarshal(result, &o); err != nil {
		t.Fatal(err)
	}
	return o.Spec.Workload.Settings
}

func decoded(t *testing.T, text string) (v any) {
	t.Helper()
	if text == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// open builds the module and opens it with the limits of a gateway.
func open(t *testing.T, log io.Writer) *module.Module {
	t.Helper()
	file := filepath.Join(t.TempDir(), "Set.fragments.example.com_v1_v2.wasm")
	cmd := exec.Command("go", "build", "-buildmode=c-shared", "-buildvcs=false", "-trimpath", "-ldflags=-s -w", "-o", file, "./set")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	m, err := runtime.Open(context.Background(), file, runtime.OpenConfig{Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn}))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

// The zeros of options, and those that the types do not omit.
const (
	zeros = `{"a0":0,"a1":0,"a2":0,"a3":0,"a4":0,"b0":"","b1":"","b2":"","b3":"","b4":"","c0":false,"c1":false,"c2":false,"c3":false,"c4":false,"d0":0,"d1":0,"d2":"","d3":"","d4":false}`
	kept  = `{"a0":0,"a1":0,"a2":0,"a3":0,"a4":0,"b0":"","b1":"","b2":"","b3":"","b4":"","c0":false,"c1":false,"c2":false,"c3":false,"c4":false}`
)

func template(containers int) string {
	const one = `{"name":"c","image":"registry.example.com/team/server:1.2.3","args":["--verbose","--port=8080"],"ports":[{"name":"http","containerPort":8080}],` +
		`"env":[{"name":"LEVEL","value":"info"},{"name":"EMPTY","value":""}],"resources":{"limits":{"cpu":"500m","memory":"128Mi"},"requests":{"cpu":"100m","memory":"64Mi"}},` +
		`"volumeMounts":[{"name":"data","mountPath":"/data","readOnly":false}],"livenessProbe":{"httpGet":{"path":"/healthz","port":8080},"initialDelaySeconds":0}}`
	return `{"metadata":{"labels":{"app":"a"}},"spec":{"hostNetwork":false,"containers":[` + strings.TrimSuffix(strings.Repeat(one+",", containers), ",") + `]}}`
}

func pools(n, containers int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"pool-%04d":{"replicas":0,"paused":false,"zone":"z%d"`, i, i)
		if containers > 0 {
			b.WriteString(`,"template":` + template(containers))
		}
		b.WriteString("}")
	}
	return "{" + b.String()[1:] + "}"
}
