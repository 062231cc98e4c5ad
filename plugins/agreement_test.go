package plugins_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestSDKsAgree runs random edits on random objects with the SDKs of all languages. They must
// refuse the same edits and otherwise produce the same bytes. The Go SDK's own tests compare it
// with a plain model. The SDKs for C and C++ also run natively, without vector instructions and
// with the sanitizers.
func TestSDKsAgree(t *testing.T) {
	const count = 5000
	random := rand.New(rand.NewPCG(1, 2))
	batch := make([]string, count)
	for i := range batch {
		batch[i] = randomEdits(random)
	}
	compare(t, batch, func(t *testing.T, object string, got, want answer) {
		if got.status != want.status || got.status == 0 && got.body != want.body {
			t.Fatalf("%s\nbecame %d %s\nbut in Go  %d %s", object, got.status, got.body, want.status, want.body)
		}
		if got.status == 0 && !json.Valid([]byte(got.body)) {
			t.Fatalf("%s\nbecame invalid JSON: %s", object, got.body)
		}
	})
}

// TestMalformed runs them on objects with bytes changed, cut and repeated. No gateway sends such
// things, so any answer will do: but there must be one.
func TestMalformed(t *testing.T) {
	const count = 5000
	random := rand.New(rand.NewPCG(3, 4))
	batch := make([]string, count)
	for i := range batch {
		b := []byte(randomEdits(random))
		for range 1 + random.IntN(3) {
			at := random.IntN(len(b))
			switch random.IntN(4) {
			case 0:
				b[at] = `"\{}[],:0 `[random.IntN(10)]
			case 1:
				b[at] ^= 1 << random.IntN(8)
			case 2:
				b = b[:at+1]
			case 3:
				b = append(b[:at:at], append(bytes.Repeat(b[at:], 2), b[:at]...)...)
			}
		}
		batch[i] = string(b)
	}
	compare(t, batch, func(*testing.T, string, answer, answer) {})
}

// TestNotUTF8 sets strings with a byte that is not UTF-8, at any place of a word or vector. The
// SDKs write U+FFFD for it, because JSON cannot carry it.
func TestNotUTF8(t *testing.T) {
	var batch []string
	for before := range 40 {
		for _, after := range []int{0, 1, 7, 16, 30} {
			text := strings.Repeat("x", before) + "\xff" + strings.Repeat("x", after)
			batch = append(batch, fmt.Sprintf(`{"apiVersion":"test.example.com/v1","program":[["set",["doc"],"%s"]]}`, text))
		}
	}
	compare(t, batch, func(t *testing.T, object string, got, want answer) {
		if _, doc, _ := strings.Cut(got.body, `"doc":`); got != want || !utf8.ValidString(doc) {
			t.Fatalf("%q\nbecame %d %q\nbut in Go  %d %q", object, got.status, got.body, want.status, want.body)
		}
	})
}

// compare has a batch answered in all languages and calls check with each answer and Go's for the
// same object.
func compare(t *testing.T, batch []string, check func(t *testing.T, object string, got, want answer)) {
	const desired = "test.example.com/v2"
	dir := filepath.Join(built.scratch, "edits") // for the second that calls it, too
	build := exec.Command("./build.sh", "testdata/edits")
	build.Env = append(os.Environ(), "OUT="+dir)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	modules, err := filepath.Glob(filepath.Join(dir, "*", "*.wasm"))
	if err != nil || len(modules) == 0 {
		t.Fatalf("no modules: %v", err)
	}
	want := newGuest(t, filepath.Join(dir, "go", "Test.test.example.com_v1_v2.wasm")).answers(t, desired, batch...)
	refused := 0
	for _, a := range want {
		refused += int(a.status)
	}
	t.Logf("%d of %d objects are refused", refused, len(batch))
	for _, module := range modules {
		t.Run(filepath.Base(filepath.Dir(module)), func(t *testing.T) {
			for i, got := range newGuest(t, module).answers(t, desired, batch...) {
				check(t, batch[i], got, want[i])
			}
		})
	}
	for language := range compilers {
		t.Run(language+" native", func(t *testing.T) {
			response := native(t, "testdata/edits/"+language)(frame(desired, batch))
			for i, got := range readAnswers(t, response, len(batch)) {
				check(t, batch[i], got, want[i])
			}
		})
	}
}

// randomKeys has keys that differ in one byte, at the ends and in the middle of the words and
// vectors in which the SDKs compare them.
var randomKeys = []string{
	"a", "b", "c", "d\"e", "é", "spec",
	"min", "max", "minute", "minuto", "dayOfWeek", "wayOfWeek", "dayOfYeek",
	"a.key.of.twenty-four.bytes", "a.key.of.twenty-four.bytez", "a.key.of-twenty-four.bytes",
}

// randomText returns text of up to 70 bytes, half of the time with a byte in it that JSON escapes
// or that is not ASCII: at any place of a word or vector.
func randomText(r *rand.Rand) string {
	text := []byte(strings.Repeat("0123456789", 7)[:r.IntN(71)])
	if r.IntN(2) == 0 {
		special := []string{`"`, `\`, "\n", "\x00", "\x1f", " ", "\x7f", "é", "😀", "\u2028"}[r.IntN(10)]
		text = slices.Insert(text, r.IntN(len(text)+1), []byte(special)...)
	}
	return string(text)
}

// randomEdits returns an object with a program for the edits module.
func randomEdits(r *rand.Rand) string {
	edits := make([]string, r.IntN(8))
	for i := range edits {
		edits[i] = randomEdit(r)
	}
	space := randomSpace(r)
	return fmt.Sprintf(`{%s"apiVersion":"test.example.com/v1","program":[%s],"doc"%s:%s,"more":%s}`,
		space, strings.Join(edits, ","), space, randomValue(r, 4), randomValue(r, 2))
}

func randomEdit(r *rand.Rand) string {
	path := func() string {
		keys := []string{`"doc"`}
		for range r.IntN(4) {
			keys = append(keys, strconv.Quote(randomKeys[r.IntN(len(randomKeys))]))
		}
		return "[" + strings.Join(keys, ",") + "]"
	}
	from := path()
	argument := func(choices ...string) string {
		text, _ := json.Marshal(choices[r.IntN(len(choices))])
		return string(text)
	}
	names := []string{"set", "int", "bool", "raw", "append", "appendraw", "delete", "rename", "move", "read", "string", "number", "keys", "elements"}
	switch name := names[r.IntN(len(names))]; name {
	case "set", "append", "elements":
		return fmt.Sprintf(`[%q,%s,%s]`, name, from, argument("", "plain", "é\"\\\n\x00\x7f😀", strings.Repeat("long ", 30), randomText(r), randomText(r), randomText(r)))
	case "int":
		return fmt.Sprintf(`[%q,%s,%s]`, name, from, argument("0", "-1", "9223372036854775807", "-9223372036854775808"))
	case "bool":
		return fmt.Sprintf(`[%q,%s,%s]`, name, from, argument("true", "false"))
	case "raw", "appendraw":
		return fmt.Sprintf(`[%q,%s,%s]`, name, from, argument(` {"a" : [1, {"b":"]"}], "c":null}`, "null", "[]", "{}", `[[{"a":-1.5e+3}],"\u00e9"]`, `{"a":1,}`, `01`, `"\x"`, `[1`, ``))
	case "rename":
		return fmt.Sprintf(`[%q,%s,%s]`, name, from, argument(randomKeys...))
	case "move":
		to := path()
		// Where one is within the other, the SDKs differ by design.
		if a, b := strings.TrimSuffix(from, "]"), strings.TrimSuffix(to, "]"); strings.HasPrefix(a+",", b+",") || strings.HasPrefix(b+",", a+",") {
			return `["read",["doc"]]`
		}
		return fmt.Sprintf(`[%q,%s,%s]`, name, from, to)
	default:
		return fmt.Sprintf(`[%q,%s]`, name, from)
	}
}

// randomValue returns JSON text without duplicate keys, with some white space and escapes.
func randomValue(r *rand.Rand, depth int) string {
	space := randomSpace(r)
	kind := r.IntN(10)
	if depth == 0 {
		kind %= 4
	}
	switch kind {
	case 0:
		return []string{"null", "true", "false"}[r.IntN(3)]
	case 1:
		return []string{"0", "-1", "9007199254740993", "1.50", "1E+2"}[r.IntN(5)]
	case 2, 3:
		return []string{`""`, `"text"`, `"}]{[\"\\"`, `"\u00e9\ud83d\ude00\/\b"`, `"` + strings.Repeat("x", r.IntN(100)) + `"`, `"\\\\\\\""`,
			`"` + strings.Repeat("x", r.IntN(70)) + []string{`\"`, `\\`, `}`, `\\\"]`}[r.IntN(4)] + strings.Repeat("x", r.IntN(20)) + `"`}[r.IntN(7)]
	case 4, 5:
		elements := make([]string, r.IntN(4))
		for i := range elements {
			elements[i] = space + randomValue(r, depth-1)
		}
		return "[" + strings.Join(elements, space+",") + space + "]"
	}
	var members []string
	for _, i := range r.Perm(len(randomKeys))[:r.IntN(6)] {
		key := strconv.Quote(randomKeys[i])
		if r.IntN(8) == 0 && i < 3 {
			key = fmt.Sprintf(`"\u%04x"`, randomKeys[i][0])
		}
		members = append(members, key+space+":"+space+randomValue(r, depth-1))
	}
	return "{" + strings.Join(members, ",") + "}"
}

func randomSpace(r *rand.Rand) string {
	return []string{"", "", "", " ", "\n\t"}[r.IntN(5)]
}
