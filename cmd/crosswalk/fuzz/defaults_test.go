package fuzz

import (
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// lossy is a converter with acknowledged losses.
type lossy struct {
	inMemory
	losses []artifact.Loss
}

func (m lossy) Losses() []artifact.Loss { return m.losses }

// inSpec returns a conversion that changes the spec of an object.
func inSpec(change func(spec map[string]any)) func(map[string]any) error {
	return func(object map[string]any) error {
		if spec, ok := object["spec"].(map[string]any); ok {
			change(spec)
		}
		return nil
	}
}

// TestDefaultsThatGoMissing tests converters that leave defaults to the API server, which sets them when
// it decodes an object at v1 or v2, and not after a conversion. TestMissingDefaults in test/e2e asks an
// API server about the same rules.
func TestDefaultsThatGoMissing(t *testing.T) {
	schema := func(fields string) string {
		return `{type: object, properties: {spec: {type: object, properties: {size: {type: integer}` + fields + `}}}}`
	}
	const mode = `, mode: {type: string, enum: [Rolling, Recreate], default: Rolling}`
	none, both, another := schema(""), schema(mode), schema(strings.Replace(mode, "default: Rolling", "default: Recreate", 1))
	text := func(from, to, path, was, is, value string) string {
		return from + "→" + to + "→" + from + " " + path + ": lost: was " + was + ", is " + is + " (the default of " + from +
			": API servers set it when they decode, and not after a conversion. Let the conversion from " + to + " set it; in rules {default: " + path + ", in: " + from + ", value: " + value + "})"
	}
	lost := text("v2", "v1", "spec.mode", `"Rolling"`, "absent", `"Rolling"`)
	drops := func(value any) func(map[string]any) error {
		return inSpec(func(spec map[string]any) {
			if same(spec["mode"], value) {
				delete(spec, "mode")
			}
		})
	}
	sets := func(value any) func(map[string]any) error {
		return inSpec(func(spec map[string]any) {
			if spec["mode"] == nil {
				spec["mode"] = value
			}
		})
	}
	entry := func(class string) []artifact.Loss {
		return []artifact.Loss{{From: "v2", To: "v1", Path: "spec.mode", Class: class, Reason: "r"}}
	}
	for _, c := range []struct {
		name, v1, v2 string
		there, back  func(map[string]any) error
		losses       []artifact.Loss
		want         []string // the findings with the words of a default, without those about other values
		class        string
	}{
		{name: "the conversion sets it", v1: none, v2: both, there: sets("Rolling"), back: drops("Rolling")},
		{name: "nobody sets it", v1: none, v2: both, back: drops("Rolling"), want: []string{lost}, class: ClassDefault},
		{name: "a null for it", v1: none, v2: both, there: inSpec(func(spec map[string]any) { spec["mode"] = nil }), want: []string{strings.Replace(lost, "absent", "null", 1)}, class: ClassDefault},
		{name: "the API server sets it in v1, before the conversion to v2", v1: both, v2: both, there: sets("Rolling"), back: drops("Rolling"),
			want: []string{text("v1", "v2", "spec.mode", `"Rolling"`, "absent", `"Rolling"`)}, class: ClassDefault}, // and not after the one to v1
		{name: "the API server sets another one in v1", v1: another, v2: both, back: drops("Rolling")}, // a changed value
		{name: "an object", v1: none, v2: schema(`, tls: {type: object, default: {}, properties: {ciphers: {type: array, items: {type: string}, default: [a, b]}}}`),
			want: []string{text("v2", "v1", "spec.tls", `{"ciphers":["a","b"]}`, "absent", `{"ciphers":["a","b"]}`)}, class: ClassDefault},
		{name: "a member of the elements of a list", v1: schema(", names: {type: array, items: {type: string}}"), v2: schema(", hosts: {type: array, items: {type: object, required: [name], properties: {name: {type: string}, port: {type: integer, default: 80}}}}"),
			there: inSpec(func(spec map[string]any) {
				names, _ := spec["names"].([]any)
				var hosts []any
				for _, name := range names {
					hosts = append(hosts, map[string]any{"name": name})
				}
				if spec["hosts"] = hosts; hosts == nil {
					delete(spec, "hosts")
				}
			}), back: inSpec(func(spec map[string]any) {
				hosts, _ := spec["hosts"].([]any)
				var names []any
				for _, host := range hosts {
					names = append(names, host.(map[string]any)["name"])
				}
				if spec["names"] = names; names == nil {
					delete(spec, "names")
				}
			}), want: []string{text("v2", "v1", "spec.hosts[].port", "80", "absent", "80")}, class: ClassDefault},
		{name: "an empty one", v1: none, v2: schema(`, mode: {type: boolean, default: false}`), back: drops(false), want: []string{text("v2", "v1", "spec.mode", "false", "absent", "false")}, class: ClassEmpty},
		{name: "an acknowledged one", v1: none, v2: both, back: drops("Rolling"), losses: entry(ClassDefault)},
		{name: "another class is acknowledged", v1: none, v2: both, back: drops("Rolling"), losses: entry(ClassNoField), want: []string{lost}, class: ClassDefault},
	} {
		t.Run(c.name, func(t *testing.T) {
			report, err := Run(t.Context(), Config{CRD: kindOf(t, "Thing", c.v1, c.v2).CRD, Modules: []Module{lossy{inMemory{"Thing", c.there, c.back}, c.losses}}, Seed: 1, Objects: 200})
			if err != nil {
				t.Fatal(err)
			}
			var got, all []string
			for _, f := range report.Findings {
				all = append(all, f.Text()+" "+f.Class)
				if strings.Contains(f.Text(), "default") && f.Property == Lost {
					got = append(got, f.Text())
					if f.Class != c.class {
						t.Errorf("the class is %q, not %q", f.Class, c.class)
					}
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("findings:\n%s\nwant:\n%s", strings.Join(all, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}
