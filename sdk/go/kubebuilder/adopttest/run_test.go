package adopttest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The test binary is three programs: the test, the test of a project (TestProject, in a process of
// its own, for it fails on purpose), and the module (crosswalk convert).
const mistakeVariable = "ADOPTTEST_MISTAKE"

type meta struct {
	Name        string            `json:"name,omitempty"`
	UID         string            `json:"uid,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
	Version     string            `json:"resourceVersion,omitempty"`
	Managers    []any             `json:"managedFields,omitempty"`
}

type mode string

type pod struct {
	Port quantity `json:"port,omitempty"`
}

type quantity string

func (q *quantity) UnmarshalText(text []byte) error {
	if len(text) > 0 && text[0] == 'x' && os.Getenv(mistakeVariable) == "natively checks a value" {
		return errors.New("a quantity begins with x")
	}
	*q = quantity(text)
	return nil
}

type rule struct {
	To string `json:"to,omitempty"`
}

type old struct {
	Kind       string `json:"kind"`
	APIVersion string `json:"apiVersion"`
	Metadata   meta   `json:"metadata"`
	Spec       struct {
		Size     int               `json:"size"`
		Mode     mode              `json:"mode,omitempty"`
		Name     string            `json:"name,omitempty"`
		Ref      *string           `json:"ref,omitempty"`
		Settings map[string]string `json:"settings,omitempty"`
		Deep     struct {
			Rules []rule `json:"rules,omitempty"`
		} `json:"deep"`
		Raw json.RawMessage `json:"raw,omitempty"` // of a rule
		Pod *pod            `json:"pod,omitempty"`
	} `json:"spec"`
}

type setting struct{ Name, Value string }

type current struct {
	Kind       string `json:"kind"`
	APIVersion string `json:"apiVersion"`
	Metadata   meta   `json:"metadata"`
	Spec       struct {
		Size     int       `json:"size"`
		Mode     mode      `json:"mode,omitempty"`
		Name     string    `json:"name,omitempty"`
		Ref      *string   `json:"ref,omitempty"`
		Settings []setting `json:"settings,omitempty"`
		Targets  []string  `json:"targets,omitempty"`
		Pod      *pod      `json:"pod,omitempty"`
	} `json:"spec"`
}

// forward converts with a mistake, as a module may, or without.
func forward(mistake string) func(o *old, c *current) error {
	return func(o *old, c *current) error {
		c.APIVersion, c.Kind, c.Metadata = "example.com/current", "Demo", o.Metadata
		c.Spec.Size, c.Spec.Mode, c.Spec.Name, c.Spec.Ref, c.Spec.Pod = o.Spec.Size, o.Spec.Mode, o.Spec.Name, o.Spec.Ref, o.Spec.Pod
		for name, value := range o.Spec.Settings {
			c.Spec.Settings = append(c.Spec.Settings, setting{name, value})
		}
		for _, r := range o.Spec.Deep.Rules {
			c.Spec.Targets = append(c.Spec.Targets, r.To)
		}
		var raw rule
		if json.Unmarshal(o.Spec.Raw, &raw) == nil && raw.To != "" && mistake != "drops a rule in raw JSON" {
			c.Spec.Targets = append(c.Spec.Targets, raw.To)
		}
		switch {
		case mistake == "drops a field" && o.Spec.Name != "":
			c.Spec.Name = ""
		case mistake == "drops a rare member" && len(c.Spec.Targets) == 2 && c.Spec.Targets[1] != "":
			c.Spec.Targets = c.Spec.Targets[:1]
		case mistake == "mistakes a constant" && o.Spec.Mode == "OnlyOnTuesdays":
			c.Spec.Mode = "Never"
		case mistake == "mistakes a word" && o.Spec.Name == "word-of-the-code":
			c.Spec.Size++
		case mistake == "mistakes a sample" && o.Spec.Size == 4711:
			c.Spec.Size++
		case mistake == "drops labels of fragments" && o.Metadata.UID == "" && len(o.Metadata.Labels) > 0:
			c.Metadata.Labels = nil
		case mistake == "drops a label of fragments" && o.Metadata.UID == "" && len(o.Metadata.Labels) > 1:
			c.Metadata.Labels = maps.Clone(o.Metadata.Labels)
			delete(c.Metadata.Labels, slices.Min(slices.Collect(maps.Keys(o.Metadata.Labels))))
		case mistake == "drops an element" && len(c.Spec.Settings) == 2:
			c.Spec.Settings = c.Spec.Settings[:1]
		case mistake == "refuses" && o.Spec.Mode == "OnlyOnTuesdays":
			return errors.New("today is Monday")
		case mistake == "breaks a label" && o.Spec.Name == "word-of-the-code":
			return errors.New("its answer has an invalid metadata.labels[x]")
		case mistake == "natively refuses in few words" && o.Spec.Name == "word-of-the-code":
			return errors.New("not for us")
		case mistake == "refuses in more words" && o.Spec.Name == "word-of-the-code":
			return errors.New("not for us, it seems")
		case mistake == "panics never" && o.Spec.Size == -1:
			c.Spec.Size = 1
		case mistake == "natively refuses a member" && o.Spec.Ref != nil:
			return fmt.Errorf("the getter of %q is not set", *o.Spec.Ref)
		case mistake == "natively reads the version" && o.Metadata.Version != "":
			c.Spec.Name = "version " + o.Metadata.Version
		case mistake == "natively keeps the managers" && len(o.Metadata.Managers) > 0:
			text, _ := json.Marshal(o)
			c.Metadata.Annotations = map[string]string{"kept": string(text)}
		case mistake == "natively refuses by the version" && o.Metadata.Version != "":
			return errors.New("the object exists")
		case mistake == "natively writes a local time":
			c.Spec.Name = time.Unix(1e9, 0).Local().Format(time.RFC3339)
		case mistake == "natively forgets the metadata":
			c.Metadata = meta{}
		case mistake == "natively copies the version":
			c.APIVersion, c.Kind = o.APIVersion, o.Kind
		case mistake == "natively forgets the uid":
			c.Metadata.UID = ""
		case mistake == "natively changes with an order" && len(o.Spec.Settings) > 1:
			c.Spec.Name = c.Spec.Settings[0].Name
		case mistake == "natively reads the version and an order" && len(o.Spec.Settings) > 1 && o.Metadata.Version != "":
			c.Spec.Name = "version " + c.Spec.Settings[0].Name
		case mistake == "natively panics" && o.Spec.Size == -1:
			panic("a size of -1")
		}
		return nil
	}
}

func backward(c *current, o *old) error {
	o.APIVersion, o.Kind = "example.com/old", "Demo"
	o.Metadata = c.Metadata
	o.Spec.Size, o.Spec.Mode, o.Spec.Name, o.Spec.Ref = c.Spec.Size, c.Spec.Mode, c.Spec.Name, c.Spec.Ref
	return nil
}

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "convert" {
		if os.Getenv(mistakeVariable) == "natively checks a value" {
			_ = os.Unsetenv(mistakeVariable) // the module does not check it
		}
		if os.Getenv(mistakeVariable) == "natively refuses in few words" {
			_ = os.Setenv(mistakeVariable, "refuses in more words")
		}
		if name := filepath.Base(filepath.Dir(os.Args[7])); strings.HasPrefix(name, "drops ") {
			_ = os.Setenv(mistakeVariable, name) // another module, with this mistake
			if strings.Contains(name, "does not load") {
				fmt.Fprintln(os.Stderr, name)
				os.Exit(1)
			}
		}
		if err := convertObjects(os.Args[6], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// convertObjects is crosswalk convert --each --fragments --quiet --to VERSION MODULE for the types here.
func convertObjects(to string, in io.Reader, out io.Writer) error {
	var objects []json.RawMessage
	if err := json.NewDecoder(in).Decode(&objects); err != nil {
		return err
	}
	for _, text := range objects {
		result, err := convertObject(to, text)
		if err != nil {
			result, _ = json.Marshal(map[string]string{"refused": fmt.Sprintf("cannot convert it: %v [refused by module Demo]", err)})
		}
		fmt.Fprintf(out, "%s\n", result)
	}
	return nil
}

func convertObject(to string, text []byte) (result []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("trap: %v", r)
		}
	}()
	var o old
	var c current
	mistake := os.Getenv(mistakeVariable)
	if to == "example.com/old" {
		if err := json.Unmarshal(text, &c); err != nil {
			return nil, err
		}
		_ = backward(&c, &o)
		o.APIVersion, o.Kind = to, "Demo"
		return json.Marshal(o)
	}
	if err := json.Unmarshal(text, &o); err != nil {
		return nil, err
	}
	if err := forward(mistake)(&o, &c); err != nil {
		return nil, err
	}
	c.APIVersion, c.Kind = to, "Demo"
	return json.Marshal(c)
}

// TestProject is the test of an adopted project whose operator's code has no mistake, or those
// that are native.
func TestProject(t *testing.T) {
	mistake := os.Getenv(mistakeVariable)
	if mistake == "" {
		t.Skip("TestReport runs it")
	}
	native := ""
	if strings.HasPrefix(mistake, "natively") || mistake == "panics never" {
		native = map[bool]string{true: "natively panics", false: mistake}[mistake == "panics never"]
	}
	Run(t, Kind{
		Name: "Demo", Module: "Demo.example.com_current_old.wasm", Hub: Hub[current]("example.com/current"), TypeMeta: true,
		Spokes: []Version{Spoke("example.com/old", forward(native), backward)},
	})
}

// TestReport compares modules with a mistake each.
func TestReport(t *testing.T) {
	for _, test := range []struct {
		mistake string
		path    string // at which the result differs
		check   func(p Pair) bool
	}{
		{mistake: "none", check: func(p Pair) bool {
			return p.Unstable > 0 && len(p.UnstableAt) == 1 && p.UnstableAt[0] == "spec.settings[].Name" && p.Given == 2 && p.Unseen == 0 && len(p.NeverCompared)+len(p.NeverAccepted) == 0
		}},
		{mistake: "drops a field", path: "spec.name"},
		{mistake: "drops a rare member", path: "spec.targets"},
		{mistake: "drops a rule in raw JSON", path: "spec.targets"},
		{mistake: "mistakes a constant", path: "spec.mode"},
		{mistake: "mistakes a word", path: "spec.size"},
		{mistake: "mistakes a sample", path: "spec.size"},
		{mistake: "drops an element", path: "spec.settings"},
		{mistake: "drops labels of fragments", path: "metadata.labels"},
		{mistake: "drops a label of fragments", check: func(p Pair) bool {
			return p.Differing > 0 && strings.HasPrefix(p.Differences[0].Path, "metadata.labels")
		}},
		{mistake: "natively checks a value", check: func(p Pair) bool {
			return p.Differing > 0 && strings.HasPrefix(p.Differences[0].Want, "refused: decoding: ")
		}},
		{mistake: "refuses", check: func(p Pair) bool {
			return p.Differing > 0 && strings.Contains(p.Differences[0].Module, "refused: cannot convert it: today is Monday")
		}},
		{mistake: "breaks a label", check: func(p Pair) bool {
			return p.Differing > 0 && strings.Contains(p.Differences[0].Module, "invalid metadata.labels")
		}},
		{mistake: "natively refuses in few words", check: func(p Pair) bool {
			return p.Differing > 0 && p.Differences[0].Want == "refused: not for us"
		}},
		{mistake: "panics never", check: func(p Pair) bool {
			return p.Differing == panicking && p.Differences[0].Want == "a panic: a size of -1"
		}},
		{mistake: "natively panics", check: func(p Pair) bool {
			return p.Differing == 0 && p.Panicked > 0 && len(p.Panics) == 1 && p.Panics[0].Text == "a size of -1" && p.Panics[0].Count >= p.Panicked
		}},
		{mistake: "natively reads the version", check: func(p Pair) bool {
			return p.Differing == 0 && p.Unseen > 0 && slices.Equal(p.UnseenAt, []string{"spec.name"})
		}},
		{mistake: "natively keeps the managers", check: func(p Pair) bool {
			return p.Differing == 0 && p.Unseen > 0 && strings.HasPrefix(p.UnseenAt[0], "metadata.annotations")
		}},
		{mistake: "natively refuses by the version", check: func(p Pair) bool {
			return p.Differing == 0 && p.Unseen > 0 && slices.Equal(p.UnseenAt, []string{"the whole result"})
		}},
		{mistake: "natively changes with an order", check: func(p Pair) bool { return p.Differing == 0 && p.Unstable > 0 && p.Unseen == 0 }},
		{mistake: "natively reads the version and an order", check: func(p Pair) bool {
			return p.Differing == 0 && p.Unseen > 0 && slices.Equal(p.UnseenAt, []string{"spec.name"})
		}},
		{mistake: "natively forgets the metadata", check: func(p Pair) bool {
			return p.Differing == p.Compared && p.Differing > 0 && p.Differences[0].Want == `refused: an API server refuses the webhook's answer: must have the same name: n0 != ""`
		}},
		{mistake: "natively copies the version", check: func(p Pair) bool {
			return p.Differing == p.Compared && p.Differing > 0 && p.Differences[0].Want == `refused: an API server refuses the webhook's answer: must have the same groupVersion: example.com/current != "example.com/old"`
		}},
		{mistake: "natively forgets the uid", check: func(p Pair) bool {
			return p.Differing == p.Compared && p.Differing > 0 && p.Differences[0].Want == `refused: an API server refuses the webhook's answer: must have the same UID: u0 != ""`
		}},
		{mistake: "natively writes a local time", path: "spec.name"},
		{mistake: "natively refuses a member", check: func(p Pair) bool {
			return p.Differing == 0 && len(p.Refusals) == 1 && len(p.NeverAccepted) == 1 && p.NeverAccepted[0].Path == "spec.ref" && strings.HasPrefix(p.NeverAccepted[0].Text, "the getter of ")
		}},
	} {
		t.Run(test.mistake, func(t *testing.T) {
			p, failed := reportOf(t, test.mistake)
			if failed != (p.Differing > 0) {
				t.Errorf("the project's test failed: %v, with %d differences", failed, p.Differing)
			}
			if test.path != "" {
				if p.Differing == 0 || p.Differences[0].Path != test.path || p.Differences[0].Object == "" || len(p.Differences) > 1 {
					t.Errorf("%d differ: %+v", p.Differing, p.Differences)
				}
			} else if !test.check(p) {
				p.Sample = nil
				t.Errorf("%+v", p)
			}
		})
	}
}

// reportOf runs TestProject for a mistake and returns the report of the way from old.
func reportOf(t *testing.T, mistake string) (p Pair, failed bool) {
	t.Helper()
	dir := t.TempDir()
	const given = `{
 "Words": ["word-of-the-code"],
 "Types": {"github.com/crosswalk-gateway/crosswalk/sdk/go/kubebuilder/adopttest.mode": ["Always", "OnlyOnTuesdays"]},
 "Samples": {"example.com/old": [{"spec": {"size": 4711, "pod": {"port": "xy"}}}, {"metadata": {"name": "x", "managedFields": []}, "spec": {"size": 1}}]}
}`
	if err := os.WriteFile(filepath.Join(dir, inputsName), []byte(given), 0o600); err != nil {
		t.Fatal(err)
	}
	report := filepath.Join(dir, "report.json")
	// In a short run, the process measures no times.
	command := exec.Command(os.Args[0], "-test.run=^TestProject$", fmt.Sprintf("-test.short=%t", testing.Short()))
	command.Dir = dir
	command.Env = append(os.Environ(), mistakeVariable+"="+mistake, "CROSSWALK="+os.Args[0], "CROSSWALK_ADOPT_REPORT="+report)
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	err := command.Run()
	text, readErr := os.ReadFile(report)
	if readErr != nil {
		t.Fatalf("%v: %s", readErr, &out)
	}
	var all Report
	if err := json.Unmarshal(text, &all); err != nil || len(all.Pairs) != 2 {
		t.Fatalf("%v: %s", err, text)
	}
	return all.Pairs[1], err != nil
}
