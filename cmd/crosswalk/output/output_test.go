package output

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
)

// TestAppendYAML tests that YAML reads back as the same JSON, and its form.
func TestAppendYAML(t *testing.T) {
	for _, c := range []struct{ json, want string }{
		{`{"kind":"A","m":1.50,"big":9007199254740993,"e":1e3}`, "kind: A\nm: 1.50\nbig: 9007199254740993\ne: 1e3\n"},
		{`{"b":[{"a":1},{"a":[]}],"a":{}}`, "b:\n- a: 1\n- a: []\na: {}\n"},
		{`{"a":["yes","No","on","null","~","","1","0x1F",".5","1.5.2","a b","a: b","a #b","-","- a","é","2026-01-01","<<","=","true","1:20","*a","&a","@a","y"]}`, ""},
		{`{"a":"line\nline\n","b":" line\n  x","c":"a\n","d":"\n","e":"a\n\n","f":"tab\tx\ny"}`, ""},
		{`{"a":"\u0000\u2028\u00e9 \ud83d\ude00"}`, ""},
		{`{"yes":1,"1":2,"":3,"a/b.c":4,"<<":5}`, ""},
		{`[1,null,true,"a"]`, "- 1\n- null\n- true\n- a\n"},
		{`"a"`, "a\n"},
	} {
		got, err := AppendYAML(nil, []byte(c.json))
		if err != nil || c.want != "" && string(got) != c.want {
			t.Errorf("%s: %v\n%s", c.json, err, got)
		}
		root, err := plainyaml.Parse(got, plainyaml.Limits{Bytes: 1 << 20, Nodes: 1 << 20, Depth: 100})
		if err != nil {
			t.Errorf("%s: %v\n%s", c.json, err, got)
			continue
		}
		back, err := plainyaml.AppendJSON(nil, root, plainyaml.JSONNumber)
		if err != nil || string(back) != escaped.Replace(c.json) {
			t.Errorf("%s: %v\n%s\nreads back as %s", c.json, err, got, back)
		}
	}
	for _, bad := range []string{"", "{", `{"a":}`, "1 2", `{"a":1}x`} {
		if got, err := AppendYAML(nil, []byte(bad)); err == nil {
			t.Errorf("%q became %s", bad, got)
		}
	}
}

// escaped writes the escapes of the cases as plainyaml does.
var escaped = strings.NewReplacer(`\u00e9`, "é", `\ud83d\ude00`, "😀", `\u2028`, "\u2028")

func results() []Result {
	return []Result{
		{Module: "a.wasm", Edge: "v1→v2", Check: "c1", Verdict: Pass, Took: time.Second},
		{Module: "a.wasm", Check: "c2", Verdict: Fail, Why: "one\ntwo <&>"},
		{Module: "b.wasm", Check: "c3", Verdict: Known, Why: "a reason"},
		{Module: "b.wasm", Check: "c4", Verdict: Skip, Why: "nothing"},
		{Module: "b.wasm", Check: "c5", Verdict: Note},
	}
}

func TestReport(t *testing.T) {
	const yes = `passed: 1
failed: 1
known: 1
skipped: 1
notes: 1
results:
- module: a.wasm
  edge: "v1→v2"
  check: c1
  verdict: ok
`
	for format, want := range map[Format]string{
		Table: "a.wasm\n  ok     v1→v2  c1\n  FAIL   c2\n         one\n         two <&>\nb.wasm\n  known  c3\n         a reason\n  skip   c4\n         nothing\n  note   c5\n1 passed, 1 failed, 1 known, 1 skipped, 1 note\n",
		JSON:  "{\n  \"passed\": 1,\n  \"failed\": 1,\n",
		YAML:  yes,
		JUnit: `<?xml version="1.0" encoding="UTF-8"?>` + "\n<testsuites>\n" + `  <testsuite name="a.wasm" tests="2" failures="1" skipped="0" time="1.000">` + "\n",
	} {
		var b bytes.Buffer
		r := NewReport(&b, format, true)
		for _, result := range results() {
			r.Add(result)
		}
		if err := r.Close(); err != nil || !strings.HasPrefix(b.String(), want) || !r.Failed() {
			t.Errorf("%s: %v\n%s", format, err, b.String())
		}
		if format == JUnit {
			var back struct {
				Suites []junitSuite `xml:"testsuite"`
			}
			if err := xml.Unmarshal(b.Bytes(), &back); err != nil || len(back.Suites) != 2 || back.Suites[0].Cases[1].Failure.Text != "one\ntwo <&>" || back.Suites[1].Skipped != 2 {
				t.Errorf("%v %+v", err, back)
			}
		}
	}
	var b bytes.Buffer
	r := NewReport(&b, Table, false)
	r.Add(results()[0])
	if b.Len() > 0 {
		t.Errorf("a pass is shown: %s", b.String())
	}
}

// TestAnnotations writes a report and an annotation for GitHub and as SARIF. Text of others cannot
// begin a command of GitHub.
func TestAnnotations(t *testing.T) {
	t.Chdir(t.TempDir()) // of no repository, from whose root paths would begin
	write := func(format Format) string {
		var b bytes.Buffer
		r := NewReport(&b, format, true)
		r.Add(Result{Module: "a.wasm", Check: "it serves", Verdict: Pass})
		r.Add(Result{Module: "a.wasm", File: "dir/a b.wasm", Edge: "v1→v2", Check: "100%: it\n::error::fails", Verdict: Fail, Why: "line\r\n::warning::next"})
		r.Add(Result{Module: "a.wasm", Check: "odd", Verdict: Note})
		r.Add(Result{Module: "a.wasm", Check: "lossy", Verdict: Known, Why: "meant"})
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	const want = "::error file=dir/a b.wasm,title=v1→v2 100%25%3A it%0A%3A%3Aerror%3A%3Afails::line%0D%0A::warning::next\n" +
		"::warning file=a.wasm,title=odd::odd\n::notice file=a.wasm,title=lossy::meant\n"
	if got := write(GitHub); got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
	got := write(SARIF)
	for _, part := range []string{`"version": "2.1.0"`, `"uri": "dir/a%20b.wasm"`, `"level": "error"`, `"level": "note"`, `"ruleId": "failed-check"`, `"id": "known-failure"`, `"fullyQualifiedName": "v1→v2"`} {
		if !strings.Contains(got, part) {
			t.Errorf("%s is missing in:\n%s", part, got)
		}
	}
	if !json.Valid([]byte(got)) || strings.Contains(got, "it serves") {
		t.Errorf("%s", got)
	}
	var b bytes.Buffer
	if err := WriteAnnotations(&b, SARIF, nil, nil); err != nil || !strings.Contains(b.String(), `"results": []`) {
		t.Errorf("%v %s", err, &b)
	}
}

func TestFlag(t *testing.T) {
	flags := pflag.NewFlagSet("x", pflag.ContinueOnError)
	format := Flag(flags, JSON, YAML)
	if err := flags.Parse(nil); err != nil || *format != JSON {
		t.Errorf("%v %s", err, *format)
	}
	if err := flags.Parse([]string{"-o", "yaml"}); err != nil || *format != YAML {
		t.Errorf("%v %s", err, *format)
	}
	if err := flags.Parse([]string{"-o", "table"}); err == nil || !strings.Contains(err.Error(), `must be json or yaml, not "table"`) {
		t.Errorf("%v", err)
	}
}

// TestPaint tests that an output that is not a terminal has no colours.
func TestPaint(t *testing.T) {
	var b bytes.Buffer
	if got := Paint(&b)(Red, "a"); got != "a" {
		t.Errorf("%q", got)
	}
}
