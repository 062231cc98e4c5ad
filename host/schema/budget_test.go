package schema

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestCheckEndsWithItsBudget has small schemas and objects that cost far more than their bytes:
// each took seconds to minutes.
func TestCheckEndsWithItsBudget(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine counts work, for minutes with the race detector")
	}
	repeat := func(what string, n int) string { return strings.TrimSuffix(strings.Repeat(what+",", n), ",") }
	names := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf("a%d", i))
		}
		return strings.Join(all, ",")
	}
	const list = `{type: object, properties: {spec: {type: array, items: %s}}}`
	for _, tc := range []struct {
		name, items, object string
	}{
		{"anyOf", "{x-kubernetes-preserve-unknown-fields: true, anyOf: [" + repeat("{maximum: 0}", 60_000) + "]}", `{"spec":[` + repeat("1", 100_000) + `]}`},
		{"oneOf", "{x-kubernetes-preserve-unknown-fields: true, oneOf: [" + repeat("{maximum: 0}", 60_000) + "]}", `{"spec":[` + repeat("1", 100_000) + `]}`},
		{"not and allOf", "{x-kubernetes-preserve-unknown-fields: true, allOf: [" + repeat("{not: {maximum: 0}}", 40_000) + "]}", `{"spec":[` + repeat("1", 100_000) + `]}`},
		{"required", "{type: object, minProperties: 0, not: {required: [" + names(100_000) + "]}}", `{"spec":[` + repeat("{}", 100_000) + `]}`},
		{"enum", "{type: string, enum: [" + names(200_000) + "]}", `{"spec":[` + repeat(`"b"`, 100_000) + `]}`},
		{"a list in an enum", "{x-kubernetes-preserve-unknown-fields: true, enum: [" + repeat("[1]", 200_000) + "]}", `{"spec":[` + repeat("[2]", 100_000) + `]}`},
		{"long strings in an enum", "{type: string, enum: [" + repeat(`"`+strings.Repeat("a", 100_000)+`"`, 20) + "]}", `{"spec":[` + repeat(`"b"`, 100_000) + `]}`},
		{"long lists in an enum", "{x-kubernetes-preserve-unknown-fields: true, enum: [" + repeat(`["`+strings.Repeat("a", 100_000)+`"]`, 20) + "]}", `{"spec":[` + repeat("[2]", 100_000) + `]}`},
		{"patterns", `{type: string, pattern: "^(a?){900}(a?){900}(a?){900}b$"}`, `{"spec":[` + repeat(`"`+strings.Repeat("a", 90)+`"`, 10_000) + `]}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			crd := parse(t, []byte(withRoot(fmt.Sprintf(list, tc.items))))
			if len(crd.Skipped)+len(crd.Warnings) > 0 {
				t.Fatalf("%q %q", crd.Skipped, crd.Warnings)
			}
			reported := 0
			err := crd.Check("v1", []byte(tc.object), Options{Budget: NewBudget(context.Background())}, func(Violation) bool { reported++; return true })
			if !errors.Is(err, ErrWork) {
				t.Errorf("error %v after %d violations", err, reported)
			}
		})
	}
}

// TestBudgetSufficesForRealObjects gives the check of real definitions only the units of the
// objects' bytes, without the base of a review.
func TestBudgetSufficesForRealObjects(t *testing.T) {
	for name, file := range definitions(t) {
		crd := parse(t, file)
		for i := range crd.Versions {
			v := &crd.Versions[i]
			for seed := range uint64(rounds) {
				object := newGenerator(seed, seed%5 == 0).object(crd, v)
				b := NewBudget(context.Background())
				n := int64(workAtOnce/workOfByte/len(object) + 2) // so many that what is taken at once is there
				b.left.Store(n * int64(len(object)) * workOfByte)
				before := b.left.Load()
				if err := crd.Check(v.Name, object, Options{Budget: b}, func(Violation) bool { return true }); err != nil {
					t.Fatal(err)
				}
				added := int64(len(object)) * workOfByte
				if spent := before + added - b.left.Load(); spent > added/2 || spent < int64(len(object)) {
					t.Errorf("%s/%s, seed %d: %d units for %d bytes, which add %d", name, v.Name, seed, spent, len(object), added)
				}
			}
		}
	}
}

func TestCheckEndsWithItsContext(t *testing.T) {
	crd := parse(t, []byte(withRoot(`{type: object, properties: {spec: {type: integer}}}`)))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := crd.Check("v1", []byte(`{"spec":"x"}`), Options{Budget: NewBudget(ctx)}, func(v Violation) bool {
		t.Errorf("reported %v", v)
		return true
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// A text that is too long for its pattern is not matched; all else is checked.
func TestCheckSkipsAMatchThatTakesTooMuch(t *testing.T) {
	crd := parse(t, []byte(withRoot(`{type: object, properties: {spec: {type: object, properties: {
		a: {type: string, pattern: "^x{1000}x{1000}$"}, b: {type: integer}, c: {anyOf: [{pattern: "^x{1000}x{1000}$"}], type: string}}}}}`)))
	long := strings.Repeat("y", 20_000)
	var got []string
	err := crd.Check("v1", []byte(`{"spec":{"a":"`+long+`","c":"`+long+`","b":"1"}}`), Options{Budget: NewBudget(context.Background())}, func(v Violation) bool {
		got = append(got, v.String())
		return true
	})
	const want = "spec.a: the text is too long for its pattern or format: the check takes more work than it may"
	if !errors.Is(err, ErrWork) || err.Error() != want || len(got) != 1 || got[0] != "spec.b: must be an integer, not a string" {
		t.Errorf("reported %q, error %v", got, err)
	}
	if err := crd.Check("v1", []byte(`{"spec":{"b":1}}`), Options{}, func(v Violation) bool { return true }); err != nil {
		t.Errorf("the checker remembers: %v", err)
	}
}

// TestRefusedWorkIsNotSpent: work that the budget has no room for leaves the rest of it to others.
func TestRefusedWorkIsNotSpent(t *testing.T) {
	b := NewBudget(t.Context())
	b.left.Store(workAtOnce)
	if _, err := b.take(workAtOnce + 1); !errors.Is(err, ErrWork) {
		t.Errorf("more than is left: %v", err)
	}
	if n, err := b.take(1); err != nil || n != workAtOnce {
		t.Errorf("what is left: %d, %v", n, err)
	}
}
