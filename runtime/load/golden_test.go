package load

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

func TestGoldenCases(t *testing.T) {
	l := testLoader(t, smallLimits)
	const fixed = "cases:\n- {name: a, from: v1, to: v2, object: {metadata: {name: n}}, want: {spec: {big: 9007199254740993, ratio: 1.0, hosts: [a, b]}}}\n"
	const refused = "cases:\n- {from: v1, to: v2, object: {}, want: {}}\n- {name: a, from: v2, to: v1, object: {}, wantError: %q}\n"
	replaced := func(old, new string) string { return strings.Replace(fixed, old, new, 1) }
	const of = "K.g_v1_v2.yaml: cases[0] (a): from v1 to v2 the module's answer differs from want in "
	for _, tc := range []struct{ name, file, in, want string }{
		{"right", "golden_fixed", fixed, ""},
		{"right, with all that may be left out", "golden_fixed", replaced("want: {", "want: {kind: K, metadata: {name: n}, apiVersion: g/v2, "), ""},
		{"refused as it should be", "good_refuse", `cases: [{from: v1, to: v2, object: {}, wantError: "spec.x: not today"}]`, ""},
		{"a command", "command_good", "cases: [{from: v1, to: v2, object: {}, want: {}}]", ""},

		{"a large number", "golden_fixed", replaced("9007199254740993", "9007199254740992"), of + "spec.big (want 9007199254740992, got 9007199254740993)"},
		{"another spelling of a number", "golden_fixed", replaced("1.0", "1"), of + "spec.ratio (want 1, got 1.0)"},
		{"other metadata", "golden_fixed", replaced("want: {", `want: {metadata: {annotations: {"a/b": c}}, `), of + `metadata.annotations (want {"a/b":"c"}, got nothing), metadata.name`},
		{"an element too many", "golden_fixed", replaced("[a, b]", "[a]"), of + `spec.hosts[1] (want nothing, got "b")`},
		{"much", "golden_fixed", replaced("want: {spec: {", "want: {a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, spec: {"), of + "a (want 1, got nothing), b, c, d, e, f and 1 more"},
		{"a long value", "golden_fixed", replaced("1.0", strings.Repeat("ü", 300)), of + `spec.ratio (want "` + strings.Repeat("ü", 198) + `…, got 1.0)`},
		{"another type", "golden_fixed", replaced("1.0", "{}"), of + "spec.ratio (want {}, got 1.0)"},
		{"apiVersion not changed", "good_echo", "cases: [{name: a, from: v1, to: v2, object: {}, want: {}}]", of + `apiVersion (want "g/v2", got "g/v1")`},

		{"not refused", "golden_fixed", `cases: [{from: v2, to: v1, object: {}, wantError: "no"}]`, `K.g_v1_v2.yaml: cases[0]: from v2 to v1 the module converts the object, which it should refuse with "no"`},
		{"refused", "good_refuse", fixed, "K.g_v1_v2.yaml: cases[0] (a): from v1 to v2 the module refuses the object, which it should convert: spec.x: not today"},
		{"refused otherwise", "good_refuse", `cases: [{from: v1, to: v2, object: {}, wantError: "spec.x: not tod"}]`, `K.g_v1_v2.yaml: cases[0]: from v1 to v2 the module refuses the object with "spec.x: not today", not with "spec.x: not tod"`},
		{"the second", "x07_grow", fmt.Sprintf(refused, "no"), `K.g_v1_v2.yaml: cases[1] (a): from v2 to v1 the module converts the object, which it should refuse with "no"`},
		{"a trap", "x09_unreachable", fixed, "K.g_v1_v2.yaml: cases[0] (a): from v1 to v2 the module failed: the module trapped: unreachable"},
		{"no object", "x15_world", fixed, "K.g_v1_v2.yaml: cases[0] (a): from v1 to v2 the module's answer is wrong: it is not a JSON object"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m, err := l.Load(context.Background(), testName, fixture(t, tc.file), beside(tc.in))
			if err == nil {
				m.Close()
			}
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || err.Error() != tc.want) {
				t.Errorf("error\n %v\nwant\n %s", err, tc.want)
			}
		})
	}
	if n := l.budget.Instances(); n != 0 {
		t.Errorf("%d instances are left of modules that were refused or closed", n)
	}
}

// TestThereAndBack tests cases whose answers must come back.
func TestThereAndBack(t *testing.T) {
	l := testLoader(t, smallLimits)
	for _, tc := range []struct{ name, file, in, want string }{
		{"not back", "golden_fixed", "cases: [{from: v1, to: v2, object: {metadata: {name: n}}, thereAndBack: true}]",
			"K.g_v1_v2.yaml: cases[0]: from v1 to v2 and back, the object differs in spec (want nothing, got {\"big\":9007199254740993,\"hosts\":[\"a\",\"b\"],\"ratio\":1.0})"},
		{"back", "golden_fixed", "cases: [{from: v2, to: v1, object: {metadata: {name: n}, spec: {big: 9007199254740993, ratio: 1.0, hosts: [a, b]}}, thereAndBack: true}]", ""},
		{"refused", "good_refuse", "cases: [{from: v1, to: v2, object: {}, thereAndBack: true}]", "K.g_v1_v2.yaml: cases[0]: from v1 to v2 the module refuses the object, which it should convert: spec.x: not today"},
		{"a trap", "x09_unreachable", "cases: [{from: v1, to: v2, object: {}, thereAndBack: true}]", "K.g_v1_v2.yaml: cases[0]: from v1 to v2 the module failed: the module trapped: unreachable"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m, err := l.Load(context.Background(), testName, fixture(t, tc.file), beside(tc.in))
			if err == nil {
				m.Close()
			}
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || err.Error() != tc.want) {
				t.Errorf("error\n %v\nwant\n %s", err, tc.want)
			}
		})
	}
}

// TestTryCases tests that a loader without golden cases loads a module that fails them, and that
// each case then has its result.
func TestTryCases(t *testing.T) {
	l := testLoader(t, smallLimits)
	l.skipCases = true
	m, err := l.Load(context.Background(), testName, fixture(t, "golden_fixed"),
		beside("cases:\n- {from: v1, to: v2, object: {}, want: {spec: {ratio: 1}}}\n- {from: v1, to: v2, object: {}, wantError: no}\n- {from: v1, to: v2, object: {}, want: {spec: {big: 9007199254740993, ratio: 1.0, hosts: [a, b]}}}\n"+
			"- {from: v1, to: v2, object: {}, stash: {/spec/a: 1}, want: {spec: {big: 9007199254740993, ratio: 1.0, hosts: [a, b]}}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	results := TryCases(context.Background(), m)
	for i, want := range []string{
		"the module's answer differs from want in spec.big (want nothing, got 9007199254740993), spec.hosts, spec.ratio",
		`the module converts the object, which it should refuse with "no"`,
		"",
		"the stash of the module's answer differs from stash in [\"/spec/a\"] (want 1, got nothing)",
	} {
		text := ""
		if r := results[i]; r.Err != nil {
			text = r.Err.Error()
		}
		if text != want || !strings.Contains(string(results[i].Got), `"spec":{`) {
			t.Errorf("case %d: %s: %s", i, text, results[i].Got)
		}
	}
}

// TestTakeStash tests that a stash is compared by its values.
func TestTakeStash(t *testing.T) {
	for _, c := range []struct{ answer, rest, kept, err string }{
		{`{"a":1.0}`, `{"a":1.0}`, `{}`, ""},
		{`{"metadata":{"annotations":null}}`, `{"metadata":{"annotations":null}}`, `{}`, ""},
		{`{"metadata":{"name":"n","annotations":{"a":"b","conversion.g/stash":"{\"v1\":{\"in\":\"v2\",\"kept\":[{\"hash\":\"x\",\"set\":{\"/spec/a\":1.0}},{\"set\":{\"/spec/b\":[]}}]},\"v3\":{}}"}},"spec":{"n":1e3}}`,
			`{"metadata":{"annotations":{"a":"b"},"name":"n"},"spec":{"n":1e3}}`, `{"/spec/a":1.0,"/spec/b":[]}`, ""},
		{`{"metadata":{"annotations":{"conversion.g/stash":"{}"}}}`, `{"metadata":{}}`, `{}`, ""},
		{`{"metadata":{"annotations":{"conversion.g/stash":"{"}}}`, "", "", "annotation conversion.g/stash: unexpected end of JSON input"},
	} {
		rest, kept, err := takeStash([]byte(c.answer), "g", "v1")
		text := ""
		if err != nil {
			text = err.Error()
		}
		if string(rest) != c.rest || string(kept) != c.kept || text != c.err {
			t.Errorf("%s:\n%s %s %s", c.answer, rest, kept, text)
		}
	}
}

// TestGoldenCasesAreNoTraffic: golden cases do not count in metrics and status.
func TestGoldenCasesAreNoTraffic(t *testing.T) {
	l := testLoader(t, smallLimits)
	m, err := l.Load(context.Background(), testName, fixture(t, "golden_fixed"), beside("cases: [{from: v1, to: v2, object: {}, want: {spec: {big: 9007199254740993, ratio: 1.0, hosts: [a, b]}}}]"))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if a := m.Activity(time.Now()); a.Calls != 0 || a.Objects != 0 {
		t.Errorf("%d calls with %d objects are counted", a.Calls, a.Objects)
	}
}

// TestTooSlowCases has cases that take longer together than they may.
func TestTooSlowCases(t *testing.T) {
	limits := smallLimits
	limits.FuelPerObject, limits.CompileTime = 1<<50, 500*time.Millisecond
	l := testLoader(t, limits)
	_, err := l.Load(context.Background(), testName, fixture(t, "x02_fib"), beside("cases: [{from: v1, to: v2, object: {}, want: {}}]"))
	const want = "K.g_v1_v2.yaml: its cases take longer than 250ms, the limit for all cases of a module: use fewer or cheaper cases"
	if err == nil || !strings.HasSuffix(err.Error(), want) { // a busy machine is to blame first
		t.Errorf("error\n %v\nwant\n %s", err, want)
	}
	if err := lateCases("K.g_v1_v2.yaml", 250*time.Millisecond, 150*time.Millisecond, 260*time.Millisecond); IsBusy(err) || err.Error() != want {
		t.Errorf("after 150 ms of processor time: error\n %v\nwant\n %s", err, want)
	}
	if err := lateCases("K.g_v1_v2.yaml", 250*time.Millisecond, 20*time.Millisecond, 260*time.Millisecond); !IsBusy(err) {
		t.Errorf("after 20 ms of processor time: error %v, want a *BusyError", err)
	}
}

// TestVetGoldenCases has the child hold a module to its cases.
func TestVetGoldenCases(t *testing.T) {
	l := testLoader(t, smallLimits)
	v := newVetter(l.limits, slog.New(slog.DiscardHandler))
	const right = "cases: [{from: v1, to: v2, object: {}, want: {spec: {big: 9007199254740993, ratio: 1.0, hosts: [a, b]}}}]"
	for _, tc := range []struct{ file, in, want string }{
		{"golden_fixed", right, ""},
		{"golden_fixed", strings.Replace(right, "1.0", "1", 1), "K.g_v1_v2.yaml: cases[0]: from v1 to v2 the module's answer differs from want in spec.ratio (want 1, got 1.0)"},
		{"golden_fixed", "sha256: kept", `K.g_v1_v2.yaml: line 1: sha256 "kept" is not a digest: write the 64 hexadecimal digits that sha256sum prints for the module's file`},
	} {
		code, err := v.vet(context.Background(), testName, fixture(t, tc.file), beside(tc.in))
		code.close()
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || err.Error() != tc.want) {
			t.Errorf("%s with %s: error\n %v\nwant\n %s", tc.file, tc.in, err, tc.want)
		}
	}
}

// TestSelfTestGoldenCases compares a module with another in the interpreter's place, which only a
// golden case tells apart.
func TestSelfTestGoldenCases(t *testing.T) {
	l := testLoader(t, smallLimits)
	const cases = "cases: [{name: a, from: v1, to: v2, object: {}, want: {}}]"
	compiled, err := l.Load(context.Background(), testName, fixture(t, "x07_grow"), beside(cases))
	if err != nil {
		t.Fatal(err)
	}
	defer compiled.Close()
	l.interpret = true
	same := loadFixture(t, l, "x07_grow")
	if _, err := selfTest(context.Background(), compiled, same, 1<<40); err != nil {
		t.Errorf("the same module: %v", err)
	}
	const want = "self-test: K.g_v1_v2.yaml: cases[0] (a): compiled and interpreted, the module answers differently: the compiler gets it wrong, and it must not serve"
	if _, err := selfTest(context.Background(), compiled, loadFixture(t, l, "golden_fixed"), 1<<40); err == nil || err.Error() != want {
		t.Errorf("another module: error\n %v\nwant\n %s", err, want)
	}
}

// TestSelfTestComparesRefusals: two modules that refuse an object alike answer alike, which is a
// comparison; one that refuses it and one that converts it differ.
func TestSelfTestComparesRefusals(t *testing.T) {
	l := testLoader(t, smallLimits)
	compiled := loadFixture(t, l, "good_refuse")
	l.interpret = true
	edge := artifact.Edge{Group: "g", Kind: "K", From: "v1", To: "v2"}
	for name, want := range map[string][2]bool{"good_refuse": {true, true}, "good_echo": {false, true}} {
		same, conclusive := alike(t.Context(), compiled, loadFixture(t, l, name), edge, testObject)
		if same != want[0] || conclusive != want[1] {
			t.Errorf("%s: same %v, conclusive %v, want %v", name, same, conclusive, want)
		}
	}
}

// TestOneFormOutOfFuelShowsNothing: if one form of a module runs out of fuel, and the other answers,
// the self-test has compared nothing.
func TestOneFormOutOfFuelShowsNothing(t *testing.T) {
	l := testLoader(t, smallLimits)
	edge := artifact.Edge{Group: "g", Kind: "K", From: "v1", To: "v2"}
	for _, which := range []string{"the compiled form", "the interpreter"} {
		forms := map[string]*module.Module{"the compiled form": loadFixture(t, l, "good_echo"), "the interpreter": loadFixture(t, l, "good_echo")}
		forms[which].LimitFuel(1)
		same, conclusive := alike(t.Context(), forms["the compiled form"], forms["the interpreter"], edge, testObject)
		if !same || conclusive {
			t.Errorf("%s has no fuel: same %v, conclusive %v", which, same, conclusive)
		}
	}
}
