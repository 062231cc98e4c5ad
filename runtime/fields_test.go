package runtime

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
)

func TestReadFields(t *testing.T) {
	name, err := ParseName("K.g_v1_v2_v3.wasm")
	if err != nil {
		t.Fatal(err)
	}
	one := func(path string) string { return fmt.Sprintf("fields: {v1: [%s], v2: [], v3: []}\n", path) }
	const of = "K.g_v1_v2.yaml: line 1: fields.v1: "
	for _, tc := range []struct{ name, in, want string }{
		{"right", "fields: {v1: [spec.a, \"spec.list[].b.*.c\", metadata.labels, \"metadata.annotations['a.b/c']\"], v2: [spec, 12], v3: []}\n", ""},
		{"no mapping", "fields: [spec]\n", "K.g_v1_v2.yaml: line 1: fields is a list, not a mapping"},
		{"no list", "fields: {v1: spec}\n", "K.g_v1_v2.yaml: line 1: fields.v1 is text, not a list of paths"},
		{"no path", "fields: {v1: [spec, {a: b}]}\n", "K.g_v1_v2.yaml: line 1: fields.v1[1] is a mapping, not text"},
		{"another version", "fields: {v1: [], v2: [], v3: [], v4: []}\n", `K.g_v1_v2.yaml: line 1: fields has version "v4", which K.g_v1_v2_v3.wasm does not name`},
		{"a version missing", "fields: {v1: [], v3: []}\n", "K.g_v1_v2.yaml: line 1: fields has no list for version v2: add one, empty if nothing of that version is read or written"},
		{"none at all", "fields: {}\n", "K.g_v1_v2.yaml: line 1: fields has no list for version v1: add one, empty if nothing of that version is read or written"},
		{"a wrong path", one("spec..a"), of + `path "spec..a": a name is missing at byte 5`},
		{"two versions that do not go together", "fields: {v1: [spec.m.*.a], v2: [spec.m.k.b], v3: []}\n",
			"K.g_v1_v2.yaml: line 1: fields of v1 and v2 together: spec.m.k and .* are both declared of one object: name its members, or none"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := readSidecar(name, beside(tc.in))
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || err.Error() != tc.want) {
				t.Errorf("error\n %v\nwant\n %s", err, tc.want)
			}
		})
	}
}

// TestDescribedFields has modules declare fields themselves.
func TestDescribedFields(t *testing.T) {
	l := testLoader(t, smallLimits)
	const wrong = `crosswalk_describe: fields.v1: path "spec..a": a name is missing at byte 5`
	for _, tc := range []struct{ name, file, in, want string }{
		{"right", "good_fields", "", ""},
		{"a wrong path", "describe_fields_wrong", "", wrong},
		{"twice", "good_fields", "fields: {v1: [], v2: []}", "crosswalk_describe: the module declares its fields itself: leave fields out of K.g_v1_v2.yaml"},
		{"a case", "good_fields", "cases: [{from: v1, to: v2, object: {spec: {a: 1, c: 2}, status: {}}, wantError: x}]",
			"K.g_v1_v2.yaml: cases[0]: from v1 to v2 the module converts the object, which it should refuse with \"x\""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m, err := l.loadWith(context.Background(), testName, fixture(t, tc.file), beside(tc.in))
			if tc.in == "" {
				m, err = l.load(context.Background(), testName, fixture(t, tc.file))
			}
			if err == nil {
				m.close()
			}
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || err.Error() != tc.want) {
				t.Errorf("error\n %v\nwant\n %s", err, tc.want)
			}
		})
	}
	for text, want := range map[string]string{
		`{}`:                         "",
		`{"fields":null}`:            `fields is not like {"v1": ["spec.size"], "v2": ["spec.replicas"]}`,
		`{"fields":["spec"]}`:        `fields is not like {"v1": ["spec.size"], "v2": ["spec.replicas"]}`,
		`{"fields":{"v1":"spec"}}`:   `fields is not like {"v1": ["spec.size"], "v2": ["spec.replicas"]}`,
		`{"fields":{"v1":["spec"]}}`: "fields has no list for version v2: add one, empty if nothing of that version is read or written",
		`{"fields":{"v1":["spec"],"v2":["spec"]}}`: "",
	} {
		if _, err := describedFields(testName, []byte(text)); want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
}

// TestProjectedCases has golden cases go through what a module declares, as conversions do.
func TestProjectedCases(t *testing.T) {
	l := testLoader(t, smallLimits)
	const (
		fixed = "fields: {v1: [%s], v2: []}\ncases:\n- {from: v1, to: v2, object: {metadata: {name: n}, spec: {big: 1, more: [1.50]}}, want: {spec: {big: 9007199254740993, ratio: 1.0, hosts: [a, b]%s}}}\n"
		of    = "K.g_v1_v2.yaml: cases[0]: from v1 to v2 the module's answer "
	)
	for _, tc := range []struct{ name, in, want string }{
		{"spliced", fmt.Sprintf(fixed, "spec.big, spec.ratio, spec.hosts", ", more: [1.50]"), ""},
		{"whole", fmt.Sprintf(fixed, "spec", ""), ""},
		{"undeclared", fmt.Sprintf(fixed, "spec.big, spec.ratio", ""), of + "has spec.hosts, which is not among the fields that the module declares"},
		{"different", fmt.Sprintf(fixed, "spec.big, spec.ratio, spec.hosts", ""), of + "differs from want in spec.more (want nothing, got [1.50])"},
	} {
		m, err := l.loadWith(context.Background(), testName, fixture(t, "golden_fixed"), beside(tc.in))
		if err == nil {
			if _, _, err := selfTest(context.Background(), m, m, 1<<40); err != nil {
				t.Errorf("%s: %v", tc.name, err)
			}
			m.close()
		}
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || err.Error() != tc.want) {
			t.Errorf("%s: error\n %v\nwant\n %s", tc.name, err, tc.want)
		}
	}
}

// TestFieldsAreShown looks for a module's fields where operators do, with the process that vets in between.
func TestFieldsAreShown(t *testing.T) {
	f := followVetted(t, map[string]string{"K.g_v1_v2.wasm": "good_fields", "K.g_v2_to_v3.wasm": "good_echo"}, true)
	f.until("both serve", func() bool { return f.module("v1", "v2") != nil && f.module("v2", "v3") != nil })
	m := f.module("v2", "v1")
	if got, want := strings.Join(m.Fields("v2", "v1"), " "), "spec.b spec.a metadata.annotations['x']"; got != want {
		t.Errorf("fields %s, want %s", got, want)
	}
	if got := f.module("v2", "v3").Fields("v2", "v3"); got != nil {
		t.Errorf("a module that declares none has fields %v", got)
	}
	if got := f.status("K.g_v1_v2.wasm").Fields; !slices.Equal(got["v1"], []string{"spec.a", "metadata.annotations['x']"}) || len(got) != 2 {
		t.Errorf("the status has fields %v", got)
	}
	for file, want := range map[string]float64{"K.g_v1_v2.wasm": 3, "K.g_v2_to_v3.wasm": 0} {
		if got := testutil.ToFloat64(f.metrics.declared.WithLabelValues(file)); got != want {
			t.Errorf("%s: the metric is %v, want %v", file, got, want)
		}
	}
}
