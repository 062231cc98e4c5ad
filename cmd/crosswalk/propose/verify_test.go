package propose

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz"
	"github.com/crosswalk-gateway/crosswalk/host/schema"
)

// never bounds the time of tests, which the number of objects ends.
const never = time.Hour

// unverified returns the rules for a definition before they are verified, and the definition.
func unverified(t *testing.T, text []byte) (*Proposal, definition.Definition) {
	t.Helper()
	all, err := definition.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	crd, err := schema.Parse(all[0].Text)
	if err != nil {
		t.Fatal(err)
	}
	var versions []string
	for _, v := range crd.Versions {
		versions = append(versions, v.Name)
	}
	return Rules(crd, versions, nil), all[0]
}

// proposed returns the verified rules for a definition, and the definition.
func proposed(t *testing.T, text []byte, objects int) (*Proposal, definition.Definition) {
	t.Helper()
	p, d := unverified(t, text)
	if _, err := Verify(t.Context(), p, d.CRD, Bounds{Objects: objects, Time: never}); err != nil {
		t.Fatal(err)
	}
	return p, d
}

// again fuzzes the rules of a file with other objects than the verification.
func again(t *testing.T, file []byte, d definition.Definition, objects int) *fuzz.Report {
	t.Helper()
	m := moduleOf(t, file)
	report, err := fuzz.Run(t.Context(), fuzz.Config{CRD: d.CRD, Modules: []fuzz.Module{m}, Seed: 77, Objects: objects})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestProposalsOfRealDefinitions converts more objects, and others, with the rules that are proposed
// for definitions of operators: they lose nothing that the file does not name.
func TestProposalsOfRealDefinitions(t *testing.T) {
	files, _ := filepath.Glob("../../../host/schema/testdata/*.yaml.gz")
	if len(files) < 5 {
		t.Fatalf("there are %d definitions", len(files))
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml.gz"), func(t *testing.T) {
			if testing.Short() && !strings.HasPrefix(filepath.Base(file), "certificates") {
				t.Skip("it takes some seconds")
			}
			objects := 600
			if testing.Short() {
				objects = 100
			}
			p, d := proposed(t, unpacked(t, file), objects)
			text := p.Text()
			for _, f := range again(t, text, d, 2*objects).Findings {
				if loses(&f) && !regained(&f) && !bytes.Contains(text, []byte(f.Path+": "+f.Property)) {
					t.Errorf("the file does not name: %s\nobject: %s", f.Text(), f.Object)
				}
			}
			if !bytes.Contains(text, []byte("a client that removes an object around one gets it back")) || bytes.Contains(text, []byte("othing is lost")) || !bytes.Contains(text, fmt.Appendf(nil, "# %d objects of generated kinds ", objects)) {
				t.Errorf("the file says\n%.1000s", text)
			}
		})
	}
}

func unpacked(t *testing.T, file string) []byte {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// between returns a definition with these properties of spec in v1 and v2.
func between(v1, v2 string) []byte {
	version := func(name, storage, properties string) string {
		return `{"name":"` + name + `","served":true,"storage":` + storage + `,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{` + properties + `}}}}}}`
	}
	return []byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.example.com"},
		"spec":{"group":"example.com","scope":"Namespaced","names":{"kind":"Thing","plural":"things"},"versions":[` + version("v1", "true", v1) + `,` + version("v2", "false", v2) + `]}}`)
}

// TestVerify tests the rules that a verification leaves, and withdraws.
func TestVerify(t *testing.T) {
	const text, number = `{"type":"string"}`, `{"type":"integer"}`
	list := func(of string) string { return `{"type":"array","items":` + of + `}` }
	object := func(properties string) string { return `{"type":"object","properties":{` + properties + `}}` }
	for _, c := range []struct{ name, v1, v2, want string }{
		{"a rename stays", `"colour":` + text, `"color":` + text, "{rename: spec.colour, to: spec.color}"},
		{"a conversion of any text stays", `"timeout":` + text, `"timeoutSeconds":` + number, "{convert: spec.timeout, to: spec.timeoutSeconds, as: [duration, s], unfit: stash}"},
		{"an integer or a string stays", `"port":{"x-kubernetes-int-or-string":true}`, `"port":` + number, "{convert: spec.port, as: [intOrString, integer], unfit: stash}"},
		{"a list of names that may repeat stays", `"env":{"type":"object","additionalProperties":` + text + `}`, `"env":` + list(object(`"name":`+text+`,"value":`+text)), "{listFromMap: spec.env, key: name, value: value, unfit: stash}"},
		{"an object that both versions have", `"size":` + number + `,"of":` + object(`"x":`+text), `"of":` + object(`"x":`+text+`,"size":`+number), "{move: spec.size, to: spec.of.size}"},
		{"nothing", `"a":` + text, `"a":` + text, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, d := proposed(t, between(c.v1, c.v2), 400)
			file := p.Text()
			var got []string
			for _, line := range strings.Split(string(file), "\n") {
				if rule, ok := strings.CutPrefix(line, "  - "); ok {
					got = append(got, rule)
				}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("got %v, want %s\n%s", got, c.want, file)
			}
			for _, f := range again(t, file, d, 800).Findings {
				if loses(&f) {
					t.Errorf("the file loses: %s\nobject: %s", f.Text(), f.Object)
				}
			}
			if !strings.Contains(string(file), "\n# carries ") && c.want != "" {
				t.Errorf("the file does not say what it carries:\n%s", file)
			}
			if off := bytes.Contains(file, []byte("The rule is off")); off && !bytes.Contains(file, []byte("#   object: {")) || !bytes.Contains(file, []byte("# 400 objects of generated kinds came back equal")) {
				t.Errorf("the file says\n%s", file)
			}
		})
	}
}

// TestVerifyKeepsRightRules tests that a rename stays that is not the cause of a loss: a dropped field beside
// it brings the object around both back, until it depends on that object.
func TestVerifyKeepsRightRules(t *testing.T) {
	const v1, v2 = `"out":{"type":"object","properties":{"wait":{"type":"string","default":"1s"}}}`, `"out":{"type":"object","properties":{"maxWait":{"type":"string","default":"1s"},"enable":{"type":"boolean"}}}`
	p, d := proposed(t, between(v1, v2), 4000)
	if got, want := active(p.Text()), "{rename: spec.out.wait, to: spec.out.maxWait} {drop: spec.out.enable, in: v2, for: [spec.out]}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, f := range again(t, p.Text(), d, 4000).Findings {
		t.Errorf("the file loses: %s\nobject: %s", f.Text(), f.Object)
	}
}

// TestVerifyWithoutTime tests that no guess is left if the time ends before enough objects were converted.
func TestVerifyWithoutTime(t *testing.T) {
	const text = `{"type":"string"}`
	p, d := unverified(t, between(`"colour":`+text, `"color":`+text))
	result, err := Verify(t.Context(), p, d.CRD, Bounds{Objects: 400, Time: time.Microsecond})
	if err != nil {
		t.Fatal(err)
	}
	if file := string(p.Text()); result.Objects != 0 || result.Withdrawn != 1 || strings.Contains(file, "\n  - {rename") || !strings.Contains(file, "# Not verified: only ") {
		t.Errorf("%+v\n%s", *result, file)
	}
}

// TestVerifyNamesLosses tests that a loss of a rule that nothing can replace is in the file.
func TestVerifyNamesLosses(t *testing.T) {
	// A default of v2 changes the list on which the kept values depend.
	v1 := `"users":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"note":{"type":"string"}}}}`
	v2 := `"users":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string","default":"x"}}}}`
	p, _ := proposed(t, between(v1, v2), 400)
	const want = "  # It loses: v1→v2→v1 spec.users[].note: lost: "
	if file := string(p.Text()); !strings.Contains(file, want) || !strings.Contains(file, "except for") || !strings.Contains(file, "  - {drop: \"spec.users[].note\", in: v1}\n") {
		t.Errorf("missing %q in\n%s", want, file)
	}
}

// TestVerifySaysWhyNot tests that a file says why it is not verified.
func TestVerifySaysWhyNot(t *testing.T) {
	p, _ := proposed(t, between(`"a":{}`, `"b":{"type":"string"}`), 100)
	if file := string(p.Text()); !strings.Contains(file, "# Not verified: ") {
		t.Errorf("the file says\n%s", file)
	}
}

// TestVerifyEndsWithItsContext tests that an interrupt ends a verification.
func TestVerifyEndsWithItsContext(t *testing.T) {
	all, err := definition.Read(between(`"a":{"type":"string"}`, `"b":{"type":"string"}`))
	if err != nil {
		t.Fatal(err)
	}
	crd, err := schema.Parse(all[0].Text)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Verify(ctx, Rules(crd, []string{"v1", "v2"}, nil), all[0].CRD, Bounds{Objects: 1 << 30, Time: never}); err != context.Canceled {
		t.Errorf("%v", err)
	}
}

// TestRegained tests the finding about a client that removes an object around a kept value of the other
// version, where the object has a default: it comes back, as each file of rules says, and the finding is
// about the object.
func TestRegained(t *testing.T) {
	const object = `"o":{"type":"object","properties":{%s}},"mode":{"type":"string"}`
	text := between(fmt.Sprintf(object, `"weight":{"type":"integer","default":1}`), fmt.Sprintf(object, `"weightSeconds":{"type":"integer"}`))
	all, err := definition.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	file := "kind: Thing\ngroup: example.com\nconversions:\n- from: v1\n  to: v2\n  rules:\n  - {drop: spec.o.weight, in: v1}\n  - {drop: spec.o.weightSeconds, in: v2}\n"
	found := false
	for _, f := range again(t, []byte(file), all[0], 2000).Findings {
		if loses(&f) && !regained(&f) {
			t.Errorf("%s\n%s", f.Text(), f.Object)
		}
		found = found || f.From == "v2" && f.Path == "spec.o" && regained(&f)
	}
	if !found {
		t.Error("no finding is about the object that comes back")
	}
}
