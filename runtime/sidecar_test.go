package runtime

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/watch"
)

// beside is a sidecar of the module that testName names.
func beside(text string) *watch.File {
	return &watch.File{Name: "K.g_v1_v2.yaml", Content: []byte(text), Sum: sha256.Sum256([]byte(text))}
}

// oneCase is a sidecar with one case, which differs from a good one in a single line.
func oneCase(line string) string {
	c := "cases:\n- name: keeps\n"
	key, _, _ := strings.Cut(line, ":")
	for _, good := range []string{"from: v1", "to: v2", "object: {}", "want: {}"} {
		if !strings.HasPrefix(good, key+":") {
			c += "  " + good + "\n"
		}
	}
	return c + "  " + line + "\n"
}

func TestReadSidecarErrors(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"empty", "", "K.g_v1_v2.yaml is empty: delete it, or see docs/sidecar.md for what it may say"},
		{"a comment", "# later\n", "K.g_v1_v2.yaml is empty: delete it, or see docs/sidecar.md for what it may say"},
		{"large", strings.Repeat(" ", 1<<20+1), "K.g_v1_v2.yaml has 1048577 bytes; a sidecar may have 1048576"},
		{"no YAML", "cases: [\n", "K.g_v1_v2.yaml is not YAML: line 1: did not find expected node content"},
		{"two documents", "cases: []\n---\ncases: []\n", "K.g_v1_v2.yaml has more than one YAML document; one belongs in a sidecar"},
		{"a list", "- cases: []\n", "K.g_v1_v2.yaml: line 1: the sidecar is a list, not a mapping"},
		{"an unknown member", "limits: {}\ncase: []\n", `K.g_v1_v2.yaml: line 2: the sidecar has no member "case"; it may have sha256, limits, fields, cases`},
		{"a member twice", "cases: []\ncases: []\n", `K.g_v1_v2.yaml: line 2: the key "cases" is there twice`},
		{"a merge key", "a: &a {}\n<<: *a\n", `K.g_v1_v2.yaml: line 1: the sidecar has no member "a"; it may have sha256, limits, fields, cases`},

		{"no digest", "sha256: abc\n", `K.g_v1_v2.yaml: line 1: sha256 "abc" is not a digest: write the 64 hexadecimal digits that sha256sum prints for the module's file`},
		{"a digest in a list", "sha256: [abc]\n", "K.g_v1_v2.yaml: line 1: sha256 is a list, not text"},

		{"no limits", "limits: none\n", "K.g_v1_v2.yaml: line 1: limits is text, not a mapping"},
		{"an unknown limit", "limits: {cpu: 1}\n", `K.g_v1_v2.yaml: line 1: limits has no member "cpu"; it may have fuelPerObject, memory, callTimeout`},
		{"no fuel", "limits: {fuelPerObject: 0}\n", `K.g_v1_v2.yaml: line 1: limits.fuelPerObject "0" is not a whole number above 0`},
		{"half a page", "limits: {memory: 32Ki}\n", `K.g_v1_v2.yaml: line 1: limits.memory "32Ki" is not a size such as 64Mi, a multiple of 64Ki`},
		{"too large a size", "limits: {memory: 99999999999Gi}\n", `K.g_v1_v2.yaml: line 1: limits.memory "99999999999Gi" is not a size such as 64Mi, a multiple of 64Ki`},
		{"a time without a unit", "limits:\n  callTimeout: 2\n", `K.g_v1_v2.yaml: line 2: limits.callTimeout "2" is not a time above 0 such as 500ms or 2s`},

		{"no list of cases", "cases: {}\n", "K.g_v1_v2.yaml: line 1: cases is a mapping, not a list"},
		{"too many cases", "cases:\n" + strings.Repeat("- {}\n", 1001), "K.g_v1_v2.yaml: line 2: there are 1001 cases; a sidecar may have 1000"},
		{"a case that is text", "cases: [x]\n", "K.g_v1_v2.yaml: line 1: cases[0] is text, not a mapping"},
		{"an unknown member of a case", oneCase("wnat: {}"), `K.g_v1_v2.yaml: line 7: cases[0] has no member "wnat"; it may have name, from, to, object, want, wantError`},
		{"a case without a from", "cases:\n- {to: v2}\n", "K.g_v1_v2.yaml: line 2: cases[0]: it has no from"},
		{"a case of another version", oneCase("to: v3"), `K.g_v1_v2.yaml: line 2: cases[0] (keeps): K.g_v1_v2.wasm is not named to convert from "v1" to "v3"`},
		{"both", oneCase("wantError: no"), "K.g_v1_v2.yaml: line 2: cases[0] (keeps): it has both want and wantError: keep one of them"},
		{"neither", "cases:\n- {from: v1, to: v2, object: {}}\n", "K.g_v1_v2.yaml: line 2: cases[0]: it has neither want, the converted object, nor wantError, the text of a refusal"},
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
			if _, err := readSidecar(testName, beside(tc.in)); err == nil || err.Error() != tc.want {
				t.Errorf("error\n %v\nwant\n %s", err, tc.want)
			}
		})
	}
}

func TestReadSidecar(t *testing.T) {
	pin := strings.Repeat("0123456789ABCDEF", 4)
	s, err := readSidecar(testName, beside(`
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
	want := sidecar{
		file: "K.g_v1_v2.yaml", pin: strings.ToLower(pin),
		limits: sidecarLimits{fuelPerObject: 1000, memory: 2 << 20, callTimeout: 500 * time.Millisecond},
		cases: []goldenCase{
			{
				label: "cases[0]", edge: Edge{"g", "K", "v1", "v2"},
				object: []byte(`{"apiVersion":"g/v1","kind":"K","metadata":{"name":"a","creationTimestamp":"2026-01-02T03:04:05Z"},` +
					`"spec":{"big":9007199254740993,"ratio":1.0,"small":1e-3,"on":true,"none":null,"text":"yes","when":"2026-01-02","quoted \" é":[1,"2"],"lines":"a\nb"}}`),
				want: []byte(`{"kind":"K","metadata":{"name":"a","creationTimestamp":"2026-01-02T03:04:05Z"},"apiVersion":"g/v2","spec":{}}`),
			},
			{label: "cases[1] (no)", edge: Edge{"g", "K", "v2", "v1"}, object: []byte(`{"apiVersion":"g/v2","kind":"K","spec":{}}`), wantError: "spec.x: not today"},
		},
	}
	if !reflect.DeepEqual(*s, want) {
		t.Errorf("read as\n %+v\nwant\n %+v", *s, want)
		for i, c := range s.cases {
			t.Errorf("case %d: object %s, want %s", i, c.object, c.want)
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
	if _, err := readSidecar(testName, beside(text)); err == nil || err.Error() != want {
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
		base, ok := sidecarBase(in)
		if ok != (want != "") || ok && base != want {
			t.Errorf("%s: %q, %v, want %q", in, base, ok, want)
		}
	}
}

func TestPin(t *testing.T) {
	l := testLoader(t, smallLimits)
	file := fixture(t, "good_echo")
	sum := hex.EncodeToString(file.Sum[:])
	m, err := l.loadWith(context.Background(), testName, file, beside("sha256: "+sum+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	m.close()

	// What is not pinned is not looked at, whatever is in it.
	file = fixture(t, "m15_no_convert")
	_, err = l.loadWith(context.Background(), testName, file, beside("sha256: "+sum+"\n"))
	want := "K.g_v1_v2.yaml pins sha256 " + sum[:12] + ", and m15_no_convert has " + hex.EncodeToString(file.Sum[:6]) +
		": put the module in place that is pinned, or pin this one if it is the one you mean"
	if err == nil || err.Error() != want {
		t.Errorf("error\n %v\nwant\n %s", err, want)
	}
}

func TestSidecarLimits(t *testing.T) {
	limits := smallLimits
	limits.MemoryPages, limits.CallTime = 32, time.Second
	l := testLoader(t, limits)
	for _, tc := range []struct{ name, in, want string }{
		{"fuel", "fuelPerObject: 20000001", "K.g_v1_v2.yaml: limits.fuelPerObject 20000001 is more than the gateway's 20000000: lower it, or have --fuel-per-object raised"},
		{"memory", "memory: 3Mi", "K.g_v1_v2.yaml: limits.memory of 3145728 bytes is more than the gateway's 2097152: lower it, or have --module-memory-bytes raised"},
		{"time", "callTimeout: 2s", "K.g_v1_v2.yaml: limits.callTimeout 2s is more than the gateway's 1s: lower it, or have --call-timeout raised"},
		{"as high as may be", "fuelPerObject: 20000000, memory: 2Mi, callTimeout: 1s", ""},
		{"low", "fuelPerObject: 1000, memory: 64Ki, callTimeout: 100ms", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m, err := l.loadWith(context.Background(), testName, fixture(t, "good_refuse"), beside("limits: {"+tc.in+"}\n"))
			if err == nil {
				m.close()
			}
			if fmt.Sprint(err) != tc.want && (err != nil || tc.want != "") {
				t.Errorf("error\n %v\nwant\n %s", err, tc.want)
			}
		})
	}
}

// TestSidecarLimitsHold has modules reach limits that only their sidecars set.
func TestSidecarLimitsHold(t *testing.T) {
	l := testLoader(t, Limits{FuelPerObject: 1 << 50, ModuleInstances: 2})
	for _, tc := range []struct{ file, limits, fault, message string }{
		{"x01_spin", "fuelPerObject: 3000000", FaultFuel, "(6 million units"},
		{"x02_fib", "callTimeout: 50ms", FaultDeadline, "(50ms)"},
		{"good_echo", "memory: 64Ki", FaultMemory, "an instance may have 0 MiB"},
	} {
		t.Run(tc.file, func(t *testing.T) {
			m, err := l.loadWith(context.Background(), testName, fixture(t, tc.file), beside("limits: {"+tc.limits+"}\n"))
			if err != nil {
				t.Fatal(err)
			}
			defer m.close()
			object := []byte(`{"pad":"` + strings.Repeat("x", 100_000) + `"}`)
			if tc.fault != FaultMemory {
				object = testObject
			}
			_, _, err = m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{object})
			wantFault(t, err, tc.fault, tc.message)
		})
	}
}

// TestSidecarDocs reads the example in docs/sidecar.md.
func TestSidecarDocs(t *testing.T) {
	text, err := os.ReadFile("../docs/sidecar.md")
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
	if s, err := readSidecar(name, beside(example)); err != nil || s.pin == "" || len(s.cases) != 2 {
		t.Errorf("read as %+v, error %v", s, err)
	}
}
