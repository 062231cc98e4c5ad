package e2e

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// puppetGroup has the kind Puppet, which testdata/guests/puppet.wasm converts into the answer that
// an object contains.
const (
	puppetGroup = "puppet.example.com"
	puppetFile  = "Puppet.puppet.example.com_v1_v2.wasm"
)

// script is the value of the string "answer" that makes the puppet answer with a status and bytes,
// or do something worse (see puppet.wat).
func script(op byte, bytes string) string { return string(op) + hex.EncodeToString([]byte(bytes)) }

// puppet returns an object that the puppet answers by the script.
func puppet(version, name, script string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": puppetGroup + "/" + version, "kind": "Puppet",
		"metadata": map[string]any{"name": name, "namespace": "default", "labels": map[string]any{"keep": "me"}},
		"spec":     map[string]any{"answer": script},
	}}
}

// offence is an answer of a module that must not get past the gateway.
type offence struct {
	name   string
	script string
	// want is the message after the names of object and conversion. MODULE stands for the module's
	// file and digest.
	want string
	row  string // of docs/spec/faults.md
}

// breach is an answer that breaks the contract.
func breach(name, answer, want, row string) offence {
	return offence{name, script('0', answer), "module MODULE broke the conversion contract: its answer " + want, row}
}

// refusal is an answer by which a module refuses an object.
func refusal(name, words, want string) offence {
	return offence{name, script('1', words), want + " [refused by module MODULE]", "H10"}
}

// fault is a failure of the module itself.
func fault(name, script, want, row string) offence {
	return offence{name, script, "module MODULE failed: " + want, row}
}

func offences() []offence {
	const nested = 1001
	return []offence{
		breach("no bytes", ``, `is empty`, "H11"),
		breach("an array", `[]`, `is an array, not an object`, "A11"),
		breach("a string", `"text"`, `is a string, not an object`, "A11"),
		breach("null", `null`, `is null, not an object`, "A11"),
		breach("cut off", `{"spec":{"a":1`, `is not strictly valid JSON: unexpected end of JSON at byte 14`, "A11"),
		breach("trailing data", `{} {}`, `is not strictly valid JSON: data after the end of the document at byte 3`, "A11"),
		breach("a byte order mark", "\ufeff{}", `is not strictly valid JSON: byte order mark (JSON has none) at byte 0`, "A11"),
		breach("invalid UTF-8", "{\"spec\":{\"a\":\"\xff\"}}", `is not strictly valid JSON: invalid UTF-8 in a string at byte 14`, "A11"),
		breach("half a surrogate pair", `{"spec":{"a":"\ud800"}}`, `is not strictly valid JSON: lone surrogate \ud800 at byte 14`, "A11"),
		breach("a raw control character", "{\"spec\":{\"a\":\"\x01\"}}", `is not strictly valid JSON: control character 0x01 in a string (write it as \u0001) at byte 14`, "A11"),
		breach("an integer too large", `{"spec":{"a":18446744073709551615}}`,
			`is not strictly valid JSON: number 18446744073709551615 has more digits than an int64 or a float64 keeps at byte 13`, "A12"),
		breach("a number too large", `{"spec":{"a":1e400}}`,
			`is not strictly valid JSON: number 1e400 is neither an int64 nor a finite float64 at byte 13`, "A12"),
		breach("no number", `{"spec":{"a":NaN}}`, `is not strictly valid JSON: expected a value, found 'N' at byte 13`, "A12"),
		breach("a leading zero", `{"spec":{"a":01}}`, `is not strictly valid JSON: number with a leading zero at byte 13`, "A12"),
		breach("nested too deep", `{"spec":{"a":`+strings.Repeat("[", nested)+strings.Repeat("]", nested)+`}}`,
			`is not strictly valid JSON: nested deeper than 1000 levels at byte 1011`, "A13"),
		breach("a duplicate key", `{"metadata":{},"metadata":{}}`, `is not strictly valid JSON: duplicate key "metadata" at byte 15`, "A10"),
		breach("a duplicate key, escaped", `{"metadata":{},"m\u0065tadata":{}}`, `is not strictly valid JSON: duplicate key "metadata" at byte 15`, "A10"),
		breach("a duplicate label", `{"metadata":{"labels":{"a":"1","a":"2"}}}`, `is not strictly valid JSON: duplicate key "a" at byte 31`, "A10"),
		breach("a key that differs by case", `{"Metadata":{}}`, `has a top-level field "Metadata", which differs from metadata only by case`, "A10"),

		breach("the old apiVersion", `{"apiVersion":"puppet.example.com/v1"}`,
			`has apiVersion "puppet.example.com/v1"; it must be "puppet.example.com/v2" or be left out`, "A7"),
		breach("another group", `{"apiVersion":"other.example.com/v2"}`,
			`has apiVersion "other.example.com/v2"; it must be "puppet.example.com/v2" or be left out`, "A7"),
		breach("an apiVersion that is no string", `{"apiVersion":2}`, `has apiVersion that is a number, not a string`, "A7"),
		breach("another kind", `{"kind":"Muppet"}`, `has kind "Muppet"; a conversion may not change the kind`, "A7"),
		breach("a kind that is no string", `{"kind":null}`, `has kind that is null, not a string`, "A7"),
		breach("another name", `{"metadata":{"name":"other"}}`,
			`changes metadata.name; name, namespace and uid must stay as they are or be left out`, "A7"),
		breach("another namespace", `{"metadata":{"namespace":"other"}}`,
			`changes metadata.namespace; name, namespace and uid must stay as they are or be left out`, "A7"),
		breach("another uid", `{"metadata":{"uid":"other"}}`,
			`changes metadata.uid; name, namespace and uid must stay as they are or be left out`, "A7"),
		breach("a name taken away", `{"metadata":{"name":null}}`,
			`changes metadata.name; name, namespace and uid must stay as they are or be left out`, "A7"),
		breach("metadata that is no object", `{"metadata":[]}`, `has metadata that is an array, not an object`, "A7"),
		breach("metadata that is null", `{"metadata":null}`, `has metadata that is null, not an object`, "A7"),

		breach("labels that are no object", `{"metadata":{"labels":["a"]}}`, `has metadata.labels that is an array, not an object`, "A9"),
		breach("a label that is no string", `{"metadata":{"labels":{"a":1}}}`, `has metadata.labels["a"] that is a number, not a string`, "A9"),
		breach("a label that is null", `{"metadata":{"labels":{"a":null}}}`, `has metadata.labels["a"] that is null, not a string`, "A9"),
		breach("an annotation that is no string", `{"metadata":{"annotations":{"a":{}}}}`,
			`has metadata.annotations["a"] that is an object, not a string`, "A9"),
		breach("an invalid label key", `{"metadata":{"labels":{"a b":"c"}}}`, `has an invalid metadata.labels["a b"]: name part must consist of `, "A9"),
		breach("an invalid label value", `{"metadata":{"labels":{"a":"b c"}}}`, `has an invalid metadata.labels["a"]: a valid label must be `, "A9"),
		breach("a label value too long", `{"metadata":{"labels":{"a":"`+strings.Repeat("b", 64)+`"}}}`,
			`has an invalid metadata.labels["a"]: must be no more than 63 `, "A9"),
		breach("an invalid annotation key", `{"metadata":{"annotations":{"/a":"b"}}}`, `has an invalid metadata.annotations["/a"]: prefix part must be non-empty`, "A9"),
		breach("annotations too large", `{"metadata":{"annotations":{"a":"`+strings.Repeat("b", 256<<10)+`"}}}`,
			`has an invalid metadata.annotations["a"]: may not be more than 262144 bytes`, "A9"),
		breach("annotations too large together", `{"metadata":{"annotations":{"a":"`+strings.Repeat("b", 128<<10)+`","c":"`+strings.Repeat("d", 128<<10)+`"}}}`,
			`has metadata.annotations of more than 262144 bytes in all`, "A9"),

		refusal("refused", "spec.schedule: five fields are needed, this has three", "spec.schedule: five fields are needed, this has three"),
		refusal("refused in two lines", "first\n\tsecond", "first\n\tsecond"),
		refusal("refused in other letters", "größer als 5 — 不可以 \"quoted\" <b> & \u2028.", "größer als 5 — 不可以 \"quoted\" <b> & \u2028."),
		refusal("refused without words", "", "refused without a reason"),
		refusal("refused in bytes that are no text", "bad \xff\x00 byte", "bad \ufffd byte"),
		{"refused at length", script('1', strings.Repeat("ä", 10_000)), strings.Repeat("ä", 2000), "H10"},

		fault("trap", "t", "the module trapped: unreachable (a bug of the module: tell its author)", "X9"),
		fault("an endless loop", "s", "the module exceeded the fuel limit of this batch (", "X1"),
		fault("an endless recursion", "r", "the module's call depth exceeded ", "X5"),
		fault("no answer", "n", "the module's response ends before the answer for object 0 of 1 (a bug of the module: tell its author)", "A6"),
		fault("two answers", "d", "the module's response has ", "A6"),
		fault("an answer outside its memory", "o", "the module's response of 1024 bytes, at 2147483647, is not within its memory of ", "A1"),
		fault("a status that does not exist", script('7', "what"), "the module's answer for object 0 has status 7; the ABI knows 0, 1 and 2 (a bug of the module: tell its author)", "A6"),
		fault("a crash that the SDK caught", script('2', "index out\nof range"), "the module crashed: index out of range (a bug of the module: tell its author)", "X23"),
	}
}

// message returns the gateway's message for an offence by an object on its way from v1 to v2, up to
// the part that another package tests.
func (o *offence) message(object *unstructured.Unstructured, module string) string {
	return fmt.Sprintf("cannot convert object 0 (%s/%s) of Puppet.%s from v1 to v2: %s",
		object.GetNamespace(), object.GetName(), puppetGroup, strings.ReplaceAll(o.want, "MODULE", module))
}

// complaints are parts of API servers' messages about invalid responses. They do not help a user,
// so none may ever appear.
var complaints = []string{
	"expected webhook response", "no response provided", "expected response.uid", "response.result.status was", "returned 0 objects",
	"objects, expected", "returned invalid object", "returned invalid converted object", "invalid groupVersion", "invalid kind",
	"must have the same", "returned invalid metadata", "0-length response", "unknown conversion", "is registered for version", "invalid media",
	`Post "`, "the server rejected our request", "an error on the server",
}

// clean checks that an error is the gateway's: the API server's introduction, then the gateway's
// message.
func clean(t *testing.T, err error, from, message string) {
	t.Helper()
	if err == nil {
		t.Error("the conversion succeeded")
		return
	}
	text := err.Error()
	_, said, found := strings.Cut(text, fmt.Sprintf("conversion webhook for %s/%s, Kind=Puppet failed: ", puppetGroup, from))
	if !found {
		t.Errorf("the API server complains of the gateway: %.500q", text)
		return
	}
	for _, complaint := range complaints {
		if strings.Contains(strings.ToLower(said), strings.ToLower(complaint)) {
			t.Errorf("the API server complains of the gateway: %.500q", text)
		}
	}
	if !strings.HasPrefix(said, message) {
		t.Errorf("the message is\n\t%.2000q\nand should begin\n\t%.2000q", said, message)
	}
	if !utf8.ValidString(said) {
		t.Errorf("the message is not valid UTF-8: %.500q", said)
	}
}
