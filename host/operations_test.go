package host

import (
	"os"
	"strings"
	"testing"
)

// TestFailureTable checks that the tables of docs/operations.md have every failure, and that the messages in them are the real ones.
func TestFailureTable(t *testing.T) {
	doc, err := os.ReadFile("../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{} // failure to the rows it begins
	for line := range strings.Lines(string(doc)) {
		if cells := strings.Split(line, "|"); len(cells) > 3 {
			failure := strings.Trim(cells[1], " `")
			rows[failure] = append(rows[failure], line)
		}
	}
	for _, failure := range Failures() {
		if len(rows[failure]) == 0 {
			t.Errorf("docs/operations.md has no row for the failure %q", failure)
		}
	}

	has := func(failure, message, fixed string) {
		if !strings.Contains(message, fixed) {
			t.Errorf("the message is not like the documented one\n%s\nwant %s", message, fixed)
		}
		for _, row := range rows[failure] {
			if strings.Contains(row, fixed) {
				return
			}
		}
		t.Errorf("docs/operations.md has no row for %q with %q", failure, fixed)
	}
	for _, test := range []struct{ answer, fixed string }{
		{``, "its answer is empty"},
		{`[]`, "its answer is an array, not an object"},
		{`{`, "its answer is not strictly valid JSON: "},
		{`{"a":"` + strings.Repeat("x", 2<<20) + `"}`, "; for this object, which has "},
		{`{"apiVersion":"v1"}`, `; it must be "`},
		{`{"apiVersion":null}`, `its answer has apiVersion that is null, not a string`},
		{`{"kind":"x"}`, "; a conversion may not change the kind"},
		{`{"metadata":{"name":"x"}}`, "its answer changes metadata.name; name, namespace and uid must stay as they are or be left out"},
		{`{"metadata":{"labels":{"a b":"c"}}}`, `its answer has an invalid metadata.labels["`},
		{`{"metadata":{"annotations":{"a":"` + strings.Repeat("x", 200<<10) + `","b":"` + strings.Repeat("x", 200<<10) + `"}}}`, "its answer has metadata.annotations of more than 262144 bytes in all"},
		{`{"Metadata":{}}`, `its answer has a top-level field "Metadata", which differs from metadata only by case`},
	} {
		_, message, _ := convertOne(t, cron, test.answer, Limits{})
		has(FailureContract, message, test.fixed)
	}
	for _, test := range []struct{ object, fixed string }{
		{`null`, "it is null, not an object"},
		{`{"kind":"CronTab"}`, "apiVersion is missing"},
		{`{"apiVersion":"x.example.com/v1","kind":"CronTab"}`, " is of another group than request.desiredAPIVersion "},
		{`{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":null}`, "metadata is null, not an object"},
		{`{"a":1,"a":1}`, "the request cannot be read: object "},
		{cron + strings.Repeat(","+cron, 3), "this gateway takes "},
	} {
		_, message, _ := convertOne(t, test.object, "{}", Limits{Objects: 3})
		has(FailureInvalid, message, test.fixed)
	}
}
