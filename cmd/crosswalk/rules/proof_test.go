package rules

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	proofs      = "../../../test/proof"
	vectorsFile = proofs + "/vectors.jsonl"
)

var updateVectors = flag.Bool("update-vectors", false, "write the vectors that Coq computes")

// vector is an object that Coq converted, as the semantics of its rules say: there, edited by a client,
// and back.
type vector struct {
	From                            string
	Rules                           []string
	Object, Converted, Edited, Back json.RawMessage
	Kept                            map[string]keptValue // by its pointer
}

type keptValue struct {
	For   []string
	Value any
}

// TestProofVectors converts the objects that Coq converted, with the compiled rules: the objects and the
// kept values are the same.
func TestProofVectors(t *testing.T) {
	text, err := os.ReadFile(vectorsFile)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) < 60 {
		t.Errorf("%d vectors", len(lines))
	}
	guests := map[string]*guest{}
	for i, line := range lines {
		var v vector
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("vector %d: %v", i+1, err)
		}
		rules := "- " + strings.Join(v.Rules, "\n- ")
		if guests[rules] == nil {
			f, err := Parse([]byte(inFile(rules)))
			if err != nil {
				t.Fatalf("%s\n%v", rules, err)
			}
			guests[rules] = newGuest(t, f)
		}
		other := map[string]string{"v1": "v2", "v2": "v1"}[v.From]
		there, ok := guests[rules].convert("example.com/"+other, complete(t, v.From, string(v.Object)))
		if !ok || normal(t, there, false) != normal(t, complete(t, other, string(v.Converted)), false) {
			t.Errorf("vector %d: the module converts to %s; Coq, %s\n%s", i+1, there, v.Converted, rules)
			continue
		}
		if kept := keptIn(t, there); !reflect.DeepEqual(kept, v.Kept) {
			t.Errorf("vector %d: the module keeps %v; Coq, %v\n%s", i+1, kept, v.Kept, rules)
		}
		back, ok := guests[rules].convert("example.com/"+v.From, withSpec(t, there, v.Edited))
		if !ok || normal(t, back, false) != normal(t, complete(t, v.From, string(v.Back)), false) {
			t.Errorf("vector %d: the module converts %s back to %s; Coq, %s\n%s", i+1, v.Edited, back, v.Back, rules)
		}
	}
}

// keptIn returns the values in an object's stash.
func keptIn(t *testing.T, object string) map[string]keptValue {
	t.Helper()
	var o struct {
		Metadata struct{ Annotations map[string]string }
	}
	if err := json.Unmarshal([]byte(object), &o); err != nil {
		t.Fatal(err)
	}
	kept := map[string]keptValue{}
	text := o.Metadata.Annotations["conversion.example.com/stash"]
	if text == "" {
		return kept
	}
	var layers map[string]struct {
		Kept []struct {
			For []string
			Set map[string]any
		}
	}
	if err := json.Unmarshal([]byte(text), &layers); err != nil {
		t.Fatal(err)
	}
	for _, layer := range layers {
		for _, parcel := range layer.Kept {
			for at, value := range parcel.Set {
				kept[at] = keptValue{parcel.For, value}
			}
		}
	}
	return kept
}

// withSpec returns an object with the members of another one, which has no metadata.
func withSpec(t *testing.T, object string, members json.RawMessage) string {
	t.Helper()
	var o, edited map[string]json.RawMessage
	if err := json.Unmarshal([]byte(object), &o); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(members, &edited); err != nil {
		t.Fatal(err)
	}
	delete(o, "spec")
	for name, value := range edited {
		o[name] = value
	}
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// unproved are Coq's words for a statement without a proof.
var unproved = regexp.MustCompile(`\b(Axioms?|Admitted|Parameters?|Conjecture|Abort|admit|give_up|bypass_check)\b`)

// TestProof has Coq check the theorem of docs/author/prove.md, and compute the vectors again.
func TestProof(t *testing.T) {
	if testing.Short() {
		t.Skip("checks proofs")
	}
	if _, err := exec.LookPath("coqc"); err != nil {
		t.Skip("coqc is not installed: apt-get install --no-install-recommends coq")
	}
	dir := t.TempDir()
	printed := map[string]string{}
	for _, name := range []string{"tree.v", "rules.v", "verbs.v", "vectors.v", "wrong.v"} {
		text, err := os.ReadFile(filepath.Join(proofs, name))
		if err != nil {
			t.Fatal(err)
		}
		if words := unproved.FindAll(text, -1); words != nil {
			t.Errorf("%s assumes something: %s", name, words)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("coqc", "-q", "-Q", ".", "Crosswalk", name)
		cmd.Dir = dir
		var failed strings.Builder
		cmd.Stderr = &failed // and what newer versions deprecate
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, failed.String())
		}
		printed[name] = string(out)
	}
	theorems := strings.Split(strings.TrimSpace(printed["rules.v"]), "\n")
	if len(theorems) != 3 || slices.ContainsFunc(theorems, func(line string) bool { return line != "Closed under the global context" }) {
		t.Errorf("the theorems depend on: %s", theorems)
	}
	_, vectors, _ := strings.Cut(printed["vectors.v"], `= "`)
	end := strings.LastIndex(vectors, `"`)
	if end < 0 {
		t.Fatalf("Coq printed %s", printed["vectors.v"])
	}
	vectors = strings.ReplaceAll(vectors[:end], `""`, `"`) + "\n"
	if *updateVectors {
		if err := os.WriteFile(vectorsFile, []byte(vectors), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(vectorsFile); err != nil || string(want) != vectors {
		t.Errorf("Coq computes other vectors than %s has (%v): go test -C cmd/crosswalk ./rules -run TestProof -update-vectors", vectorsFile, err)
	}
}
