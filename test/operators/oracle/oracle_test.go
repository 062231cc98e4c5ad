// Package oracle compares adopted modules with the operators' own webhooks, by programs that have no code
// of crosswalk: their random objects, their conversions and their comparison are others than adopt's.
package oracle

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/test/operators/list"
)

// webhook is how a kind's operator serves its conversions.
type webhook struct {
	// setUp is a file in testdata that does the part of the operator's main on which the conversions
	// depend. It is empty if they depend on none.
	setUp string
	// objects is a file in testdata that adjusts the kind's random objects, of which the webhook would
	// refuse most. It is empty if it does not.
	objects string
	// hub is the version by which knative's webhook converts; it is empty for controller-runtime's.
	hub string
	// handler is a file in testdata that calls a webhook of the operator's own. It is empty for the others.
	handler string
}

// webhooks are the kinds that are compared with webhooks: those of the table's equal kinds whose operators serve them so.
var webhooks = map[string]webhook{
	"Cluster API v1.14.2 Machine":                   {setUp: "capi-v1.14", objects: "capi-machine"},
	"Cluster API v1.14.2 IPAddressClaim":            {setUp: "capi-v1.14"},
	"Cluster API v1.11.5 Machine":                   {setUp: "capi-v1.11", objects: "capi-machine"},
	"Cluster API v1.11.5 IPAddressClaim":            {},
	"Cluster API AWS v2.13.0 AWSMachine":            {},
	"Cluster API vSphere v1.14.0 VSphereMachine":    {},
	"OpenTelemetry v0.139.0 OpenTelemetryCollector": {setUp: "otel"},
	"Karpenter v1.0.8 NodePool":                     {setUp: "karpenter", hub: "karpenter.sh/v1"},
	"KubeBlocks v1.0.0 Cluster":                     {},
	"argocd-operator v0.15.0 ArgoCD":                {},
	"KServe v0.17.0 LLMInferenceService":            {},
	"OpenYurt v1.5.0 NodePool":                      {},
	"OpenYurt v1.5.0 YurtAppSet":                    {},
	"Longhorn v1.9.0 Volume":                        {handler: "longhorn"},
	"Longhorn v1.9.0 Node":                          {handler: "longhorn"},
	"Kruise v1.8.0 StatefulSet":                     {},
	"Dapr v1.14.0 Subscription":                     {},
	"MetalLB v0.16.2 BGPPeer":                       {},
	"Kueue v0.15.0 ClusterQueue":                    {},
	"Karmada v1.13.1 ResourceBinding":               {},
	"Knative Eventing v0.43.0 EventType":            {hub: "eventing.knative.dev/v1beta1"},
	"Knative Eventing v0.43.0 PingSource":           {hub: "sources.knative.dev/v1beta2"},
	"Shipwright v0.15.0 BuildStrategy":              {handler: "shipwright"}, // it differs: its webhook ignores errors of decoding
}

var update = flag.Bool("update", false, "write what is found to webhooks.json")

// TestWebhooks converts random objects and the operators' samples by modules and by webhooks. It tries
// one operator; with OPERATORS=all, each of webhooks.
func TestWebhooks(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module and a webhook (run without -short)")
	}
	list.WithoutZstd(t)
	program := list.Tool(t)
	tried, now := 0, list.Now()
	for _, o := range list.All() {
		name := o.Title()
		served, ok := webhooks[name]
		if !ok {
			continue
		}
		tried++
		t.Run(name, func(t *testing.T) {
			if o.Name != "Kruise" && os.Getenv("OPERATORS") != "all" {
				t.Skip("takes minutes: set OPERATORS=all")
			}
			var module, webhook, report string
			var sources []string
			var objects, answered []byte
			measured(t, "adopting", func() { module = adopt(t, program, o) })
			measured(t, "building the webhook", func() { webhook, sources = build(t, o, served) })
			measured(t, "generating", func() { objects = run(t, ".", nil, webhook, append([]string{"generate", "1", "400"}, sources...)...) })
			measured(t, "converting by the module", func() { answered = answers(t, program, module, objects) })
			coverage := t.TempDir()
			t.Setenv("GOCOVERDIR", coverage)
			measured(t, "converting by the webhook", func() { report = string(run(t, ".", answered, webhook, "check")) })
			t.Logf("functions of the operator of which some blocks never ran:\n%s", untried(t, coverage))
			found := read(t, report)
			if found.differing > 0 {
				t.Errorf("the module and the webhook differ:\n%.8000s", report)
			}
			if doubts := found.doubts(bytes.Count(objects, []byte("\n"))); len(doubts) > 0 {
				t.Fatalf("the comparison shows nothing: %s\n%.8000s", strings.Join(doubts, "; "), report)
			}
			noticed(t, webhook, answered)
			if *update {
				c := list.Compared{Objects: found.checked, Refused: found.refused, Carried: found.carried, Written: found.written, Differing: found.differing, Run: now}
				if err := list.WriteCompared("webhooks.json", name, c); err != nil {
					t.Fatal(err)
				}
			}
			t.Log(strings.Join(spelled.FindAllString(report, -1), "") + summary.FindString(report))
		})
	}
	if tried != len(webhooks) {
		t.Errorf("%d of the %d kinds are in the list", tried, len(webhooks))
	}
}

// adopt builds the module of an operator's kind, and compares nothing.
func adopt(t *testing.T, program string, o list.Operator) (module string) {
	t.Helper()
	dir := t.TempDir()
	args := append([]string{"adopt", "--no-run", "--kind", o.Kind, "--dir", "converter"}, o.Arguments()...)
	if o.SetUp != "" {
		setUp, err := filepath.Abs(filepath.Join("..", "list", "testdata", o.SetUp))
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, "--set-up", setUp)
	}
	command := exec.Command(program, args...)
	command.Dir = dir
	out, err := command.CombinedOutput() // which fails where the conversions depend on state
	modules, _ := filepath.Glob(filepath.Join(dir, "converter", "*.wasm"))
	if len(modules) != 1 {
		t.Fatalf("%v: %s", err, out)
	}
	for _, line := range regexp.MustCompile(`(?m)^\s*depends on .*$`).FindAll(out, -1) {
		t.Logf("%s", line)
	}
	return modules[0]
}

// line is an object for the programs in testdata, with the module's result or the reason why it refuses.
type line struct {
	To      string          `json:"to"`
	Object  json.RawMessage `json:"object"`
	Result  json.RawMessage `json:"result,omitempty"`
	Refused *string         `json:"refused,omitempty"`
}

// answers adds the module's results to lines with objects.
func answers(t *testing.T, program, module string, lines []byte) []byte {
	t.Helper()
	byVersion := map[string][]line{}
	for text := range bytes.Lines(lines) {
		var l line
		decode(t, text, &l)
		byVersion[l.To] = append(byVersion[l.To], l)
	}
	var out bytes.Buffer
	for _, to := range slices.Sorted(maps.Keys(byVersion)) {
		lines := byVersion[to]
		var objects []json.RawMessage
		for _, l := range lines {
			objects = append(objects, l.Object)
		}
		list, err := json.Marshal(objects)
		if err != nil {
			t.Fatal(err)
		}
		// Fuel limits a conversion; a limit of wall time would refuse objects on a busy machine.
		text := run(t, ".", list, program, "convert", "--each", "--fragments", "--quiet", "--call-timeout", "24h", "--to", to, module)
		results := bufio.NewScanner(bytes.NewReader(text))
		results.Buffer(nil, 64<<20)
		for _, l := range lines {
			if !results.Scan() {
				t.Fatalf("there are fewer than %d results", len(lines))
			}
			var refused struct{ Refused *string }
			decode(t, results.Bytes(), &refused)
			if l.Refused = refused.Refused; l.Refused == nil {
				l.Result = bytes.Clone(results.Bytes())
			}
			text, err := json.Marshal(l)
			if err != nil {
				t.Fatal(err)
			}
			out.Write(append(text, '\n'))
		}
	}
	return out.Bytes()
}

func run(t *testing.T, dir string, stdin []byte, name string, args ...string) []byte {
	t.Helper()
	command := exec.Command(name, args...)
	command.Dir = dir
	command.Stdin = bytes.NewReader(stdin)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 && slices.Contains(args, "--each") {
		err = nil // objects are refused
	}
	if err != nil {
		t.Fatalf("%s: %v: %s", strings.Join(command.Args, " "), err, stderr.Bytes())
	}
	return out
}

func decode(t *testing.T, text []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(text, v); err != nil {
		t.Fatalf("%v: %.1000s", err, text)
	}
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
