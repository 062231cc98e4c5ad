package artifact

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestReadSidecarErrors(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"empty", "", "K.g_v1_v2.yaml is empty: delete it, or see docs/author/sidecar.md for what it may say"},
		{"a comment", "# later\n", "K.g_v1_v2.yaml is empty: delete it, or see docs/author/sidecar.md for what it may say"},
		{"large", strings.Repeat(" ", 1<<20+1), "K.g_v1_v2.yaml has 1048577 bytes; a sidecar may have 1048576"},
		{"no YAML", "cases: [\n", "K.g_v1_v2.yaml is not YAML: line 1: did not find expected node content"},
		{"two documents", "cases: []\n---\ncases: []\n", "K.g_v1_v2.yaml has more than one YAML document; one belongs in a sidecar"},
		{"a list", "- cases: []\n", "K.g_v1_v2.yaml: line 1: the sidecar is a list, not a mapping with sha256, limits, fields, known, lossy, cases"},
		{"an unknown member", "limits: {}\ncase: []\n", `K.g_v1_v2.yaml: line 2: the sidecar has the unknown member "case"; it may have sha256, limits, fields, known, lossy, cases`},
		{"a member twice", "cases: []\ncases: []\n", `K.g_v1_v2.yaml: line 2: the key "cases" is there twice`},
		{"a merge key", "a: &a {}\n<<: *a\n", `K.g_v1_v2.yaml: line 1: the sidecar has the unknown member "a"; it may have sha256, limits, fields, known, lossy, cases`},

		{"no digest", "sha256: abc\n", `K.g_v1_v2.yaml: line 1: sha256 "abc" is not a digest: write the 64 hexadecimal digits that sha256sum prints for the module's file`},
		{"a digest in a list", "sha256: [abc]\n", "K.g_v1_v2.yaml: line 1: sha256 is a list, not text"},

		{"no limits", "limits: none\n", "K.g_v1_v2.yaml: line 1: limits is text, not a mapping with fuelPerObject, memory, callTimeout"},
		{"an unknown limit", "limits: {cpu: 1}\n", `K.g_v1_v2.yaml: line 1: limits has the unknown member "cpu"; it may have fuelPerObject, memory, callTimeout`},
		{"no fuel", "limits: {fuelPerObject: 0}\n", `K.g_v1_v2.yaml: line 1: limits.fuelPerObject "0" is not a whole number above 0`},
		{"half a page", "limits: {memory: 32Ki}\n", `K.g_v1_v2.yaml: line 1: limits.memory "32Ki" is not a size such as 64Mi, a multiple of 64Ki`},
		{"too large a size", "limits: {memory: 99999999999Gi}\n", `K.g_v1_v2.yaml: line 1: limits.memory "99999999999Gi" is not a size such as 64Mi, a multiple of 64Ki`},
		{"a time without a unit", "limits:\n  callTimeout: 2\n", `K.g_v1_v2.yaml: line 2: limits.callTimeout "2" is not a time above 0 such as 500ms or 2s`},

		{"no list of losses", "lossy: {}\n", "K.g_v1_v2.yaml: line 1: lossy is a mapping, not a list"},
		{"a loss without a reason", "lossy:\n- {from: v1, to: v2, path: spec.a}\n", "K.g_v1_v2.yaml: line 2: lossy[0] has no reason"},
		{"a loss of other versions", "lossy:\n- {from: v3, to: v4, path: spec.a, reason: r}\n", `K.g_v1_v2.yaml: line 2: lossy[0]: K.g_v1_v2.wasm names neither version "v3" nor "v4"`},
		{"a loss with a long reason", "lossy:\n- {from: v1, to: v2, path: spec.a, reason: " + strings.Repeat("r", 1001) + "}\n", "K.g_v1_v2.yaml: line 2: lossy[0].reason has 1001 bytes; it may have 1000"},
		{"a loss that is a path", "lossy:\n- spec.tls\n", "K.g_v1_v2.yaml: line 2: lossy[0] is text, not a mapping with from, to, path, reason, class"},
		{"an unknown member of a loss", "lossy: [{why: r}]\n", `K.g_v1_v2.yaml: line 1: lossy[0] has the unknown member "why"; it may have from, to, path, reason, class`},
		{"a loss of an unknown class", "lossy:\n- {from: v1, to: v2, path: spec.a, class: zero, reason: r}\n", `K.g_v1_v2.yaml: line 2: lossy[0]: unknown class "zero": it must be value, empty, noField, default or hidden`},
		{"a loss of everything", "lossy:\n- {from: v1, to: v2, path: .*, class: noField, reason: r}\n", "K.g_v1_v2.yaml: line 2: lossy[0]: the path .* covers every field: name the fields, or add class: empty"},
		{"too many losses", "lossy:\n" + strings.Repeat("- {}\n", 1001), "K.g_v1_v2.yaml: line 2: there are 1001 losses; a sidecar may have 1000"},

		{"no list of cases", "cases: {}\n", "K.g_v1_v2.yaml: line 1: cases is a mapping, not a list"},
		{"too many cases", "cases:\n" + strings.Repeat("- {}\n", 1001), "K.g_v1_v2.yaml: line 2: there are 1001 cases; a sidecar may have 1000"},
		{"a case that is text", "cases: [x]\n", "K.g_v1_v2.yaml: line 1: cases[0] is text, not a mapping with name, from, to, object, want, wantError, stash, thereAndBack"},
		{"a known failure without a reason", "known:\n- {check: a}\n", "K.g_v1_v2.yaml: line 2: known[0] has no reason"},
		{"a known failure of another conversion", "known:\n- {check: a, from: v1, reason: r}\n", `K.g_v1_v2.yaml: line 2: known[0]: K.g_v1_v2.wasm is not named to convert from "v1" to ""; leave both out for every conversion`},
		{"a known failure with a long reason", "known:\n- {check: a, reason: " + strings.Repeat("r", 1001) + "}\n", "K.g_v1_v2.yaml: line 2: known[0].reason has 1001 bytes; it may have 1000"},
		{"too many known failures", "known:\n" + strings.Repeat("- {}\n", 101), "K.g_v1_v2.yaml: line 2: there are 101 known failures; a sidecar may have 100"},
		{"an unknown member of a case", oneCase("wnat: {}"), `K.g_v1_v2.yaml: line 7: cases[0] has the unknown member "wnat"; it may have name, from, to, object, want, wantError, stash, thereAndBack`},
		{"a case without a from", "cases:\n- {to: v2}\n", "K.g_v1_v2.yaml: line 2: cases[0]: it has no from"},
		{"a case of another version", oneCase("to: v3"), `K.g_v1_v2.yaml: line 2: cases[0] (keeps): K.g_v1_v2.wasm is not named to convert from "v1" to "v3"`},
		{"both", oneCase("wantError: no"), "K.g_v1_v2.yaml: line 2: cases[0] (keeps): it has both want and wantError: keep one of them"},
		{"neither", "cases:\n- {from: v1, to: v2, object: {}}\n", "K.g_v1_v2.yaml: line 2: cases[0]: it has neither want, the converted object, nor wantError, the text of a refusal"},
		{"a refusal that comes back", "cases:\n- {from: v1, to: v2, object: {}, wantError: no, thereAndBack: true}\n", "K.g_v1_v2.yaml: line 2: cases[0]: it has wantError, so nothing comes back and nothing is kept: leave out thereAndBack and stash"},
		{"a stash without the rest", "cases:\n- {from: v1, to: v2, object: {}, stash: {}, thereAndBack: true}\n", "K.g_v1_v2.yaml: line 2: cases[0]: it has stash, but not want, the rest of the converted object"},
		{"a stash that is text", oneCase("stash: x"), "K.g_v1_v2.yaml: line 7: cases[0] (keeps).stash is text, not a mapping of pointers, such as /spec/tls, to values"},
		{"there and perhaps back", "cases:\n- {from: v1, to: v2, object: {}, thereAndBack: maybe}\n", "K.g_v1_v2.yaml: line 2: cases[0]: its thereAndBack must be true or false"},
		{"there and back as text", "cases:\n- {from: v1, to: v2, object: {}, thereAndBack: 'true'}\n", "K.g_v1_v2.yaml: line 2: cases[0]: its thereAndBack must be true or false"},
		{"there and back with a capital", "cases:\n- {from: v1, to: v2, object: {}, thereAndBack: True}\n", "K.g_v1_v2.yaml: line 2: cases[0]: its thereAndBack must be true or false"},
		{"an empty refusal", "cases:\n- {from: v1, to: v2, object: {}, wantError: ''}\n", "K.g_v1_v2.yaml: line 2: cases[0]: its wantError is empty: write the text that the module refuses the object with"},
		{"an object that is none", oneCase("object: [1]"), "K.g_v1_v2.yaml: cases[0] (keeps): its object: line 6: it is a list, not a mapping"},
		{"another apiVersion", oneCase("object: {apiVersion: g/v2}"), `K.g_v1_v2.yaml: cases[0] (keeps): its object: line 6: apiVersion is "g/v2"; it must be "g/v1" or be left out`},
		{"another kind", oneCase("want: {kind: L}"), `K.g_v1_v2.yaml: cases[0] (keeps): its want: line 6: kind is "L"; it must be "K" or be left out`},
		{"a key twice", oneCase("object: {spec: {a: 1, a: 2}}"), `K.g_v1_v2.yaml: cases[0] (keeps): its object: line 6: the key "a" is there twice`},
		{"a number as key", oneCase("object: {1: x}"), "K.g_v1_v2.yaml: cases[0] (keeps): its object: line 6: a key is a number, not text: put it into quotes"},
		{"an alias", oneCase("want: {a: &a [x], b: *a}"), "K.g_v1_v2.yaml: cases[0] (keeps): its want: line 6: aliases (*a) are not read: write the value out"},
		{"a merge", oneCase("want: {a: &a {}, b: {<<: *a}}"), "K.g_v1_v2.yaml: cases[0] (keeps): its want: line 6: merge keys (<<) are not read: write the members out"},
		{"a hexadecimal number", oneCase("want: {a: 0x1F}"), "K.g_v1_v2.yaml: cases[0] (keeps): its want: line 6: 0x1F is not a JSON number of 64 bits: write it as one, or put it into quotes if it is text"},
		{"an infinite number", oneCase("want: {a: .inf}"), "K.g_v1_v2.yaml: cases[0] (keeps): its want: line 6: .inf is not a JSON number of 64 bits: write it as one, or put it into quotes if it is text"},
		{"too large a number", oneCase("want: {a: 9223372036854775809}"), "K.g_v1_v2.yaml: cases[0] (keeps): its want: line 6: 9223372036854775809 is not a JSON number of 64 bits: write it as one, or put it into quotes if it is text"},
		{"a yes", oneCase("want: {a: yes}"), "K.g_v1_v2.yaml: cases[0] (keeps): its want: line 6: yes is text to some readers of YAML and a boolean to others: write true or false, or put it into quotes"},
		{"a forced boolean", oneCase("want: {a: !!bool maybe}"), `K.g_v1_v2.yaml: cases[0] (keeps): its want: line 6: "maybe" is not a JSON boolean: write true or false`},
		{"bytes", oneCase("want: {a: !!binary eA==}"), "K.g_v1_v2.yaml: cases[0] (keeps): its want: line 6: a value has the type !!binary, which JSON does not have"},
		{"nested too deep", oneCase("want: {a: " + strings.Repeat("[", 1001) + strings.Repeat("]", 1001) + "}"), "K.g_v1_v2.yaml: line 2: cases[0] (keeps): its want: it is not strictly valid JSON: nested deeper than 1000 levels at byte 1004"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := ReadSidecar(testName, beside(tc.in)); err == nil || err.Error() != tc.want {
				t.Errorf("error\n %v\nwant\n %s", err, tc.want)
			}
		})
	}
}

func TestReadSidecar(t *testing.T) {
	pin := strings.Repeat("0123456789ABCDEF", 4)
	s, err := ReadSidecar(testName, beside(`
sha256: `+pin+`
limits: {fuelPerObject: 1000, memory: 2Mi, callTimeout: 500ms}
cases:
- from: v1
  to: v2
  object:
    metadata: {name: a, creationTimestamp: 2026-01-02T03:04:05Z}
    spec: {big: 9007199254740993, ratio: 1.0, small: 1e-3, on: true, none: ~, text: "yes", when: 2026-01-02, "quoted \" é": [1, "2"], lines: "a\nb"}
  want: {"apiVersion": "g/v2", "spec": {}}
- {name: no, from: v2, to: v1, object: {kind: K, spec: {}}, wantError: "spec.x: not today"}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := Sidecar{
		File: "K.g_v1_v2.yaml", Pin: strings.ToLower(pin),
		Limits: sidecarLimits{FuelPerObject: 1000, Memory: 2 << 20, CallTimeout: 500 * time.Millisecond},
		Cases: []GoldenCase{
			{
				Label: "cases[0]", Edge: Edge{"g", "K", "v1", "v2"},
				Object: []byte(`{"apiVersion":"g/v1","kind":"K","metadata":{"name":"a","creationTimestamp":"2026-01-02T03:04:05Z"},` +
					`"spec":{"big":9007199254740993,"ratio":1.0,"small":1e-3,"on":true,"none":null,"text":"yes","when":"2026-01-02","quoted \" é":[1,"2"],"lines":"a\nb"}}`),
				Want: []byte(`{"kind":"K","metadata":{"name":"a","creationTimestamp":"2026-01-02T03:04:05Z"},"apiVersion":"g/v2","spec":{}}`),
			},
			{Label: "cases[1] (no)", Edge: Edge{"g", "K", "v2", "v1"}, Object: []byte(`{"apiVersion":"g/v2","kind":"K","spec":{}}`), WantError: "spec.x: not today"},
		},
	}
	if !reflect.DeepEqual(*s, want) {
		t.Errorf("read as\n %+v\nwant\n %+v", *s, want)
		for i, c := range s.Cases {
			t.Errorf("case %d: object %s, want %s", i, c.Object, c.Want)
		}
	}
}

// TestYAMLBomb has aliases of aliases: a kilobyte that would be gigabytes.
func TestYAMLBomb(t *testing.T) {
	text := "cases:\n- from: v1\n  to: v2\n  want: {}\n  object:\n    a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 20 {
		text += fmt.Sprintf("    a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	const want = "K.g_v1_v2.yaml: cases[0]: its object: line 7: aliases (*a0) are not read: write the value out"
	if _, err := ReadSidecar(testName, beside(text)); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestSidecarBase(t *testing.T) {
	for in, want := range map[string]string{
		"CronTab.stable.example.com_v1_v2.yaml":    "CronTab.stable.example.com_v1_v2",
		"K.g_v1_to_v2.yaml":                        "K.g_v1_to_v2",
		"K.g_v1_v2.yml":                            "",
		"K.g_v1_v2.wasm":                           "",
		"K.g_v1_v2.wasm.yaml":                      "",
		"K.g_v1_v2.crd.yaml":                       "",
		"crontabs.stable.example.com.crd.yaml":     "",
		"values.yaml":                              "",
		"CronTab.stable.example.com_v1_v2.removed": "",
	} {
		base, ok := SidecarBase(in)
		if ok != (want != "") || ok && base != want {
			t.Errorf("%s: %q, %v, want %q", in, base, ok, want)
		}
	}
}

// TestSidecarDocs reads the example in docs/author/sidecar.md.
func TestSidecarDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/author/sidecar.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(text), "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	example = strings.Replace(example, "3f2a…", strings.Repeat("3f2a", 16), 1)
	name, err := ParseName("CronTab.stable.example.com_v1_v2.wasm")
	if err != nil {
		t.Fatal(err)
	}
	if s, err := ReadSidecar(name, beside(example)); err != nil || s.Pin == "" || len(s.Cases) != 3 {
		t.Errorf("read as %+v, error %v", s, err)
	}
}
