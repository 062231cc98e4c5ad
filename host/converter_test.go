package host

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// signing returns a module that appends its name to spec.by of every object, and notes its views.
func signing(name string, saw *[]string) *funcModule {
	return &funcModule{File: name, One: func(from, to string, object []byte) ([]byte, string) {
		if saw != nil {
			*saw = append(*saw, from+" "+to+" "+string(object))
		}
		var o map[string]any
		if err := json.Unmarshal(object, &o); err != nil {
			return nil, err.Error()
		}
		if o["apiVersion"] != from {
			return nil, fmt.Sprintf("apiVersion is %v", o["apiVersion"])
		}
		o["apiVersion"] = to
		o["by"] = fmt.Sprint(o["by"], " ", name)
		out, err := json.Marshal(o)
		if err != nil {
			return nil, err.Error()
		}
		return out, ""
	}}
}

// TestMixedVersions has objects of several versions in one review, some of which need no module.
func TestMixedVersions(t *testing.T) {
	object := func(version, name string) string {
		return `{"apiVersion":"stable.example.com/` + version + `","by":"","kind":"CronTab","metadata":{"name":"` + name + `"}}`
	}
	var list []Edge
	list = append(list, edges(signing("one", nil), "v1→v2")...)
	list = append(list, edges(signing("two", nil), "v2→v3")...)
	list = append(list, edges(signing("beta", nil), "v1beta1→v1")...)
	converter := func() *Converter { return converter(list...) }
	a, outcome := runReview(t, converter(), reviewOf("v1", "stable.example.com/v3",
		object("v2", "a"), object("v1", "b"), `{"metadata":{"name" : "c"}, "apiVersion":"stable.example.com/v3","kind":"CronTab","Kind":1}`, object("v1beta1", "d"),
		`{"kind":"CronTab","apiVersion":"stable.example.com/v9"}`, object("v2", "e"), object("v1", "f")))
	want := []string{
		`{"apiVersion":"stable.example.com/v3","by":" two","kind":"CronTab","metadata":{"name":"a"}}`,
		`{"apiVersion":"stable.example.com/v3","by":" one two","kind":"CronTab","metadata":{"name":"b"}}`,
		`{"metadata":{"name" : "c"}, "apiVersion":"stable.example.com/v3","kind":"CronTab","Kind":1}`,
		`{"apiVersion":"stable.example.com/v3","by":" beta one two","kind":"CronTab","metadata":{"name":"d"}}`,
		`{"apiVersion":"stable.example.com/v3","kind":"CronTab","metadata":{}}`,
		`{"apiVersion":"stable.example.com/v3","by":" two","kind":"CronTab","metadata":{"name":"e"}}`,
		`{"apiVersion":"stable.example.com/v3","by":" one two","kind":"CronTab","metadata":{"name":"f"}}`,
	}
	if len(a.Response.ConvertedObjects) != len(want) {
		t.Fatalf("%d objects: %+v", len(a.Response.ConvertedObjects), a)
	}
	for i, got := range a.Response.ConvertedObjects {
		if string(got) != want[i] {
			t.Errorf("object %d\n%s\nwant\n%s", i, got, want[i])
		}
	}
	if want := (Outcome{UID: "u-1", ReviewVersion: "v1", Group: "stable.example.com", Kind: "CronTab", From: "mixed", To: "v3", Objects: 7}); outcome != want {
		t.Errorf("outcome %+v, want %+v", outcome, want)
	}

	// Two versions are mixed, too.
	if _, outcome = runReview(t, converter(), reviewOf("v1", "stable.example.com/v3", object("v2", "a"), object("v1", "b"))); outcome.From != "mixed" {
		t.Errorf("outcome %+v", outcome)
	}

	// One object without a way fails them all, and the modules learn its kind.
	modules := &fixedModules{routes: NewRoutes(list)}
	a, outcome = runReview(t, newConverter(ConverterConfig{Modules: modules}), reviewOf("v1", "stable.example.com/v3", object("v2", "a"), object("v4", "b")))
	if outcome.Failure != FailureNoRoute || len(a.Response.ConvertedObjects) != 0 || modules.missed != "CronTab.stable.example.com" {
		t.Errorf("answered %+v, outcome %+v, missed %s", a, outcome, modules.missed)
	}
}

// TestNoModuleNeeded has reviews for which no module is called.
func TestNoModuleNeeded(t *testing.T) {
	tests := []struct {
		name    string
		objects []string
		want    []string
	}{
		{"no objects", nil, nil},
		{"in the version wanted", []string{cron}, []string{cron}},
		{"in the version wanted, and strange", []string{`{"apiVersion":"stable.example.com/v1","kind":"Unknown","metadata":{"managedFields":1,"labels":{"a":1}}}`},
			[]string{`{"apiVersion":"stable.example.com/v1","kind":"Unknown","metadata":{"managedFields":1,"labels":{"a":1}}}`}},
		{"empty, in the version wanted", []string{`{"kind":"Unknown","apiVersion":"stable.example.com/v1"}`}, []string{`{"kind":"Unknown","apiVersion":"stable.example.com/v1"}`}},
		{"empty", []string{`{"kind":"Unknown","apiVersion":"stable.example.com/v2"}`}, []string{`{"apiVersion":"stable.example.com/v1","kind":"Unknown","metadata":{}}`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a, outcome := runReview(t, converter(), reviewOf("v1beta1", "stable.example.com/v1", test.objects...))
			if a.Response.Result.Status != "Success" || a.Response.ConvertedObjects == nil || fmt.Sprintf("%s", a.Response.ConvertedObjects) != fmt.Sprintf("%s", test.want) {
				t.Errorf("answered %s\nwant %s\n%s", a.Response.ConvertedObjects, test.want, a.Response.Result.Message)
			}
			if want := (Outcome{UID: "u-1", ReviewVersion: "v1beta1", Objects: len(test.objects)}); outcome != want {
				t.Errorf("outcome %+v, want %+v", outcome, want)
			}
		})
	}
}

// TestConcurrent has many goroutines share a Converter, each with objects of its own.
func TestConcurrent(t *testing.T) {
	c := converter(append(edges(signing("one", nil), "v1→v2"), edges(signing("two", nil), "v2→v3")...)...)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 60 {
				var objects, want []string
				for n := range i%7 + 1 {
					name := fmt.Sprintf("%d-%d-%d", g, i, n)
					objects = append(objects, `{"apiVersion":"stable.example.com/v1","by":"`+name+`","kind":"CronTab","metadata":{"labels":{"a":"`+name+`"},"managedFields":[],"name":"`+name+`"}}`)
					want = append(want, `{"apiVersion":"stable.example.com/v3","by":"`+name+` one two","kind":"CronTab","metadata":{"labels":{"a":"`+name+`"},"managedFields":[],"name":"`+name+`"}}`)
				}
				answer, _, err := c.Review(context.Background(), []byte(reviewOf("v1", "stable.example.com/v3", objects...)))
				if err != nil || !strings.Contains(string(answer), `"convertedObjects":[`+strings.Join(want, ",")+`]`) {
					t.Errorf("answer %s, error %v, want objects %s", answer, err, want)
					return
				}
				if i%5 == 0 { // a failure in between leaves nothing behind
					_, _, _ = c.Review(context.Background(), []byte(reviewOf("v1", "stable.example.com/v3", objects[0], `{}`)))
				}
			}
		}()
	}
	wg.Wait()
}

// TestLinear converts as many objects as a review may have, and metadata made to be slow to
// compare. If anything were quadratic, it would take minutes.
func TestLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("converts as much as a review may have")
	}
	start := time.Now()
	var objects []string
	for i := range defaultObjects {
		objects = append(objects, fmt.Sprintf(`{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"%d"},"spec":{}}`, i))
	}
	c := converter(edges(answers(`{"metadata":{"labels":{"a":"b"},"generation":1}}`), "v1→v2")...)
	a, outcome := runReview(t, c, reviewOf("v1", "stable.example.com/v2", objects...))
	if len(a.Response.ConvertedObjects) != defaultObjects || outcome.Restored != defaultObjects {
		t.Errorf("%d objects, outcome %+v", len(a.Response.ConvertedObjects), outcome)
	}

	var many []string
	for i := range 100_000 {
		many = append(many, fmt.Sprintf(`"f%d":%d`, i, i))
	}
	meta := strings.Join(many, ",")
	answer := `{"metadata":{"labels":{},` + meta + `}}`
	c = converter(edges(answers(answer), "v1→v2")...)
	_, outcome = runReview(t, c, reviewOf("v1", "stable.example.com/v2", `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a",`+meta+`}}`))
	if outcome.Failure != "" || outcome.Restored != 0 {
		t.Errorf("outcome %+v", outcome)
	}
	if d := time.Since(start); d > 3*time.Minute {
		t.Errorf("took %v", d)
	}
}
