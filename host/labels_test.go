package host

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
)

// TestLabelRulesAreTheLibrarys compares the rules with the functions that API servers call, on keys
// and values near the limits of both.
func TestLabelRulesAreTheLibrarys(t *testing.T) {
	if maxAnnotations != validation.TotalAnnotationSizeLimitB {
		t.Errorf("the limit of annotations is %d, the library's is %d", maxAnnotations, validation.TotalAnnotationSizeLimitB)
	}
	random := rand.New(rand.NewPCG(1, 2))
	parts := []string{"", "a", "A", "9", "-", "_", ".", "/", "//", " ", "é", "example.com/", "Example.COM/", "x..y/", "-x/",
		strings.Repeat("a", 62), strings.Repeat("b", 63), strings.Repeat("c.", 126), strings.Repeat("D", 253), "\n", "app.kubernetes.io/name"}
	text := func() (s string) {
		for range random.IntN(4) {
			s += parts[random.IntN(len(parts))]
		}
		return s
	}
	valid := 0
	for i := range 5_000 {
		key, value := text(), text()
		if i < 4 {
			key, value = "k", strings.Repeat("v", maxAnnotations-2+i) // at the limit of annotations
		}
		one := map[string]string{key: value}
		labels, annotations := validLabel(key, value), validAnnotation(key, value)
		if want := metav1validation.ValidateLabels(one, nil); len(labels) != len(want) || len(want) > 0 && labels[0] != want[0].Detail {
			t.Fatalf("label %q: %q gives %q; the library says %v", key, value, labels, want)
		}
		if want := validation.ValidateAnnotations(one, nil); len(annotations) != len(want) || len(want) > 0 && annotations[0] != want[0].Detail {
			t.Fatalf("annotation %q: %q gives %q; the library says %v", key, value, annotations, want)
		}
		if len(labels) == 0 && len(annotations) == 0 {
			valid++
		}
	}
	if valid < 100 {
		t.Errorf("only %d of the random pairs were valid", valid)
	}
}

// TestChangedLabelsOfSameLength: labels are compared by content, so others of the same length are
// checked.
func TestChangedLabelsOfSameLength(t *testing.T) {
	object := `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a","labels":{"app":"c"}}}`
	if _, message, _ := convertOne(t, object, `{"metadata":{"labels":{"a b":"c"}}}`, Limits{}); !strings.Contains(message, `metadata.labels["a b"]`) {
		t.Error(message)
	}
}

// TestLabelsBreachIsNotOverwritten: the breach of the labels is reported although the annotations
// are valid, for a module that declares both and for one that sees the whole object.
func TestLabelsBreachIsNotOverwritten(t *testing.T) {
	object := `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a","labels":{"app":"c"},"annotations":{"n":"1"}}}`
	answer := `{"metadata":{"labels":{"a b":"c"},"annotations":{"n":"2"}}}`
	_, _, message, outcome := projectOne(t, "metadata.labels metadata.annotations", object, answer)
	if outcome.Failure != FailureContract || !strings.Contains(message, `metadata.labels["a b"]`) {
		t.Errorf("declared: %s: %s", outcome.Failure, message)
	}
	_, message, outcome = convertOne(t, object, answer, Limits{})
	if outcome.Failure != FailureContract || !strings.Contains(message, `metadata.labels["a b"]`) {
		t.Errorf("whole: %s: %s", outcome.Failure, message)
	}
}

// TestAnnotationsAtTheLimit: API servers take annotations of 256 KiB in all, and not a byte more.
func TestAnnotationsAtTheLimit(t *testing.T) {
	for _, tc := range []struct {
		bytes int
		fails bool
	}{{maxAnnotations, false}, {maxAnnotations + 1, true}} {
		value := strings.Repeat("x", tc.bytes/2-len("a"))
		answer := `{"metadata":{"annotations":{"a":"` + value + `","b":"` + strings.Repeat("x", tc.bytes-len("a")-len(value)-len("b")) + `"}}}`
		_, message, outcome := convertOne(t, tiny, answer, Limits{})
		if tc.fails != strings.Contains(message, "metadata.annotations of more than 262144 bytes in all") || tc.fails != (outcome.Failure != "") {
			t.Errorf("%d bytes: %s", tc.bytes, message)
		}
	}
}

// TestStashBesideLargeAnnotations: annotations that are too large only with the values that a module
// keeps in the stash refuse the object, and break no contract: this would count for a roll back.
func TestStashBesideLargeAnnotations(t *testing.T) {
	const stash = "conversion.stable.example.com/stash"
	note := func(bytes int) string { return `"note":"` + strings.Repeat("x", bytes-len("note")) + `"` }
	object := func(annotations string) string {
		return `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a","annotations":{` + annotations + `}}}`
	}
	refused := fmt.Sprintf("with the kept values in %s, all annotations need %d bytes, and may have 262144 [refused by module", stash, maxAnnotations+len(stash)+2)
	for _, tc := range []struct{ name, was, now, failure, message string }{
		{"the stash does not fit", note(maxAnnotations), note(maxAnnotations) + `,"` + stash + `":"{}"`, FailureRefused, refused},
		{"the stash fits", note(maxAnnotations - len(stash) - 2), note(maxAnnotations-len(stash)-2) + `,"` + stash + `":"{}"`, "", ""},
		{"others do not fit either", note(10), note(maxAnnotations+1) + `,"` + stash + `":"{}"`, FailureContract, "invalid metadata.annotations[\"note\"]"},
		{"the stash is the request's", `"` + stash + `":"{}"`, note(maxAnnotations) + `,"` + stash + `":"{}"`, FailureContract, "more than 262144 bytes in all"},
	} {
		answer := `{"metadata":{"annotations":{` + tc.now + `}}}`
		_, message, outcome := convertOne(t, object(tc.was), answer, Limits{})
		if outcome.Failure != tc.failure || !strings.Contains(message, tc.message) {
			t.Errorf("%s: %s: %s", tc.name, outcome.Failure, message)
		}
		_, _, message, outcome = projectOne(t, "metadata.annotations", object(tc.was), answer)
		if outcome.Failure != tc.failure || !strings.Contains(message, tc.message) {
			t.Errorf("%s, declared: %s: %s", tc.name, outcome.Failure, message)
		}
	}
}

// TestLabelsHaveNoLimitInAll: API servers bound the annotations of an object, and not its labels.
func TestLabelsHaveNoLimitInAll(t *testing.T) {
	var labels []string
	for i := range maxAnnotations/50 + 1 {
		labels = append(labels, fmt.Sprintf(`"%050d":""`, i))
	}
	if _, message, _ := convertOne(t, tiny, `{"metadata":{"labels":{`+strings.Join(labels, ",")+`}}}`, Limits{}); message != "" {
		t.Error(message)
	}
}
