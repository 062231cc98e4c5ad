package load

import (
	"context"
	"fmt"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// TestProjectedCases: golden cases are projected to a module's declared fields, like conversions.
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
		m, err := l.Load(context.Background(), testName, fixture(t, "golden_fixed"), beside(tc.in))
		if err == nil {
			if _, err := selfTest(context.Background(), m, m, 1<<40); err != nil {
				t.Errorf("%s: %v", tc.name, err)
			}
			m.Close()
		}
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || err.Error() != tc.want) {
			t.Errorf("%s: error\n %v\nwant\n %s", tc.name, err, tc.want)
		}
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
			m, err := l.Load(context.Background(), testName, fixture(t, tc.file), beside(tc.in))
			if tc.in == "" {
				m, err = l.Load(context.Background(), testName, fixture(t, tc.file), nil)
			}
			if err == nil {
				m.Close()
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
		if _, err := artifact.DescribedFields(testName, []byte(text)); want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
}
