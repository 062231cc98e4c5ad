package rules

import (
	"strings"
	"testing"
)

// TestOneWay converts by rules for one direction: in the other one their fields go, unless another rule
// is about them.
func TestOneWay(t *testing.T) {
	for _, c := range []struct{ rules, from, object, to, want string }{
		{"- {rename: spec.a, to: spec.b, oneWay: {to: v2, reason: r}}", "v1", `{"spec":{"a":1}}`, "v2", `{"spec":{"b":1}}`},
		{"- {rename: spec.a, to: spec.b, oneWay: {to: v2, reason: r}}", "v2", `{"spec":{"b":1}}`, "v1", `{"spec":{}}`},
		{"- {rename: spec.a, to: spec.b, oneWay: {to: v1, reason: r}}", "v1", `{"spec":{"a":1}}`, "v2", `{"spec":{}}`},
		{"- {move: 'spec.l[].a', to: 'spec.l[].box.b', oneWay: {to: v2, reason: r}}", "v2", `{"spec":{"l":[{"box":{"b":1}},{"c":2}]}}`, "v1", `{"spec":{"l":[{},{"c":2}]}}`},
		{"- {split: spec.a, to: [spec.b, spec.c], separator: ':', oneWay: {to: v2, reason: r}}", "v2", `{"spec":{"b":"x","c":"y","d":1}}`, "v1", `{"spec":{"d":1}}`},
		// one rule for each direction
		{"- {translate: spec.a, to: spec.b, values: [[x, z], [y, z]], oneWay: {to: v2, reason: r}}\n- {rename: spec.a, to: spec.b, oneWay: {to: v1, reason: r}}", "v1", `{"spec":{"a":"y"}}`, "v2", `{"spec":{"b":"z"}}`},
		{"- {translate: spec.a, to: spec.b, values: [[x, z], [y, z]], oneWay: {to: v2, reason: r}}\n- {rename: spec.a, to: spec.b, oneWay: {to: v1, reason: r}}", "v2", `{"spec":{"b":"z"}}`, "v1", `{"spec":{"a":"z"}}`},
		{"- {rename: spec.a, to: spec.c, oneWay: {to: v1, reason: r}}\n- {rename: spec.a, to: spec.b, oneWay: {to: v2, reason: r}}", "v1", `{"spec":{"a":1}}`, "v2", `{"spec":{"b":1}}`},
		{"- {rename: spec.a, to: spec.c, oneWay: {to: v1, reason: r}}\n- {rename: spec.a, to: spec.b, oneWay: {to: v2, reason: r}}", "v2", `{"spec":{"b":1,"c":2}}`, "v1", `{"spec":{"a":2}}`},
	} {
		g := newGuest(t, parse(t, inFile(c.rules)))
		if got, _ := g.convert("example.com/"+c.to, complete(t, c.from, c.object)); normal(t, got, false) != normal(t, complete(t, c.to, c.want), false) {
			t.Errorf("%s\n%s became %s, want %s", c.rules, c.object, got, c.want)
		}
	}
}

// TestOneWayIsAcknowledged tests that the losses of a rule for one direction are in the module's sidecar
// with its reason, beside those of the file.
func TestOneWayIsAcknowledged(t *testing.T) {
	f := parse(t, strings.Replace(inFile("- {rename: spec.a, to: spec.b, oneWay: {to: v2, reason: nobody reads a}}\n- {split: spec.s, to: [spec.c, {path: spec.d, type: integer}], separator: ':', oneWay: {to: v1, reason: x}}"),
		"conversions:", "lossy:\n- {from: v1, to: v2, path: spec.z, reason: z}\nconversions:", 1))
	sidecar := string(f.Sidecar())
	for _, want := range []string{"path: spec.z", "from: v1\n      to: v2\n      path: spec.a\n      reason: nobody reads a\n", "from: v2\n      to: v1\n      path: spec.b.*\n", "path: spec.c\n", "path: spec.d.*\n"} {
		if !strings.Contains(sidecar, want) {
			t.Errorf("missing %q in\n%s", want, sidecar)
		}
	}
	if n := len(f.Accepted()); n != 11 { // two of each field, and that of the file
		t.Errorf("%d accepted losses: %v", n, f.Accepted())
	}
}
