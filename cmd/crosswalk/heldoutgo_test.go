package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
)

// heldOutInGo are the mistakes of plugins/testdata/heldout, a converter in Go. They were written before
// fuzz was tried on them, and fuzz is never changed for them. At the first try, fuzz found those with
// true.
var heldOutInGo = []struct {
	name  string
	found bool
}{
	{"32 bits", true},
	{"zero is unset", true},
	{"an empty mode is the default", true},
	{"a canonical duration", true},
	{"a canonical quantity", true},
	{"a time in UTC", true},
	{"a slash at the end", false}, // no text ends so
	{"a percentage is a number", true},
	{"three digits of a fraction", true},
	{"hosts after an empty one", true},
	{"ports of one protocol first", true},
	{"one port for a number", true},
	{"a variable without a value", true},
	{"values of the operator Exists", true},
	{"a label of another tool", false}, // no map has this key
	{"labels with empty values", true},
	{"paused has one replica", true},
	{"one condition of a type", true},
}

// TestFuzzFindsHeldOutMistakesInGo builds converters in Go of which each has one mistake.
func TestFuzzFindsHeldOutMistakesInGo(t *testing.T) {
	if os.Getenv("HELD_OUT") == "" {
		t.Skip("takes minutes: make attack runs it")
	}
	dir := t.TempDir()
	crd, module := filepath.Join(dir, "crd.yaml"), filepath.Join(dir, "Service.example.com_v1_v2.wasm")
	writeFile(t, crd, heldOutDefinition)
	run := func(mistake string) (code int, report string) {
		build := exec.Command("go", "build", "-buildmode=c-shared", "-buildvcs=false", "-trimpath", "-ldflags=-s -w -X 'main.mistake="+mistake+"'", "-o", module, "./testdata/heldout")
		build.Dir = "../../plugins"
		build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("go build: %v\n%s", err, out)
		}
		code, report, errors := crosswalk("", "fuzz", "--crd", crd, "--objects", "4000", "--for", "10m", module)
		if code != command.ExitOK && code != command.ExitFinding {
			t.Fatalf("%s: exit code %d: %s%s", mistake, code, report, errors)
		}
		return code, report
	}
	if code, report := run("none"); code != command.ExitOK {
		t.Fatalf("without a mistake: %s", report)
	}
	for _, m := range heldOutInGo {
		code, report := run(m.name)
		if found := code == command.ExitFinding && strings.Contains(report, "FAIL"); found != m.found {
			t.Errorf("%s: found: %v\n%s", m.name, found, report)
		}
	}
}

const heldOutDefinition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: services.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Service, plural: services}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: ` + heldOutSchema + `}}
  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: ` + heldOutSchema + `}}
`

const heldOutSchema = `{type: object, properties: {
    spec: {type: object, properties: {
      replicas: {type: integer, format: int64}, ratio: {type: number}, paused: {type: boolean}, mode: {type: string}, timeout: {type: string}, memory: {type: string},
      endpoint: {type: string}, startTime: {type: string, format: date-time}, maxUnavailable: {x-kubernetes-int-or-string: true}, hosts: {type: array, items: {type: string}},
      ports: {type: array, items: {type: object, properties: {name: {type: string}, port: {type: integer, format: int64}, protocol: {type: string, enum: [TCP, UDP, SCTP]}}}},
      env: {type: array, items: {type: object, properties: {name: {type: string}, value: {type: string}}}}, labels: {type: object, additionalProperties: {type: string}},
      selector: {type: object, properties: {key: {type: string}, operator: {type: string, enum: [In, NotIn, Exists]}, values: {type: array, items: {type: string}}}}}},
    status: {type: object, properties: {conditions: {type: array, items: {type: object, properties: {type: {type: string}, status: {type: string}}}}}}}}`
