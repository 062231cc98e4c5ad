package module

import (
	"context"
	"fmt"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
)

// TestCommandDepth: an object may be as deep in a program's answer as in any other module's. How
// deep that is, the host says.
func TestCommandDepth(t *testing.T) {
	deep := `{"a":` + strings.Repeat("[", 9_999) + strings.Repeat("]", 9_999) + "}"
	review := `{"response":{"uid":"` + commandUID + `","convertedObjects":[` + deep + `],"result":{"status":"Success"}}}`
	converted, refusal, fault := readCommandResponse([]byte(review), 1, func(int) int { return len(deep) }, [][]byte{nil})
	if fault != nil || refusal != "" || len(converted) != 1 || string(converted[0]) != deep {
		t.Errorf("refusal %q, fault %v, %d objects", refusal, fault, len(converted))
	}
}

// TestCommandResponses has reviews that a program may write for two objects.
func TestCommandResponses(t *testing.T) {
	const uid, success = `"uid":"` + commandUID + `"`, `"result":{"status":"Success"}`
	for _, test := range []struct{ name, review, kind, want string }{
		{"two answers", `{"response":{` + uid + `,"convertedObjects":[{},{}],` + success + `},"kind":"ConversionReview"}`, "", ""},
		{"fewer answers", `{"response":{` + uid + `,"convertedObjects":[{}],` + success + `}}`, faults.ABI, "the program returned 1 objects for 2"},
		{"more answers", `{"response":{` + uid + `,"convertedObjects":[{},{},{}],` + success + `}}`, faults.ABI, "the program returned 3 objects for 2"},
		{"no answers", `{"response":{` + uid + `,` + success + `}}`, faults.ABI, "the program returned 0 objects for 2"},
		{"another uid", `{"response":{"uid":"1","convertedObjects":[{},{}],` + success + `}}`, faults.ABI, `the program answered with response.uid "1"; it was asked with "` + commandUID + `"`},
		{"no response", `{"request":{}}`, faults.ABI, "the ConversionReview that the program wrote has no response"},
		{"two reviews", `{"response":{` + uid + `,"convertedObjects":[{},{}],` + success + `}}{}`, faults.ABI, "the program's stdout is not a ConversionReview: "},
		{"a refusal", `{"response":{` + uid + `,"result":{"status":"Failed","message":"no"}}}`, "", "no"},
		{"a refusal without a word", `{"response":{` + uid + `,"result":{"status":"Failed"}}}`, "", `the program answered with status "Failed" and no message`},
		{"a large answer", `{"response":{` + uid + `,"convertedObjects":[{},{"a":12345}],` + success + `}}`, faults.Output, "the program's answer for object 1 has 11 bytes; 10 are allowed"},
	} {
		converted, refusal, fault := readCommandResponse([]byte(test.review), 2, func(int) int { return 10 }, [][]byte{nil, nil})
		switch {
		case test.kind != "":
			if fault == nil || fault.Kind != test.kind || !strings.HasPrefix(fault.Error(), test.want) {
				t.Errorf("%s: fault %v, want %s", test.name, fault, test.want)
			}
		case fault != nil || refusal != test.want || refusal == "" && len(converted) != 2:
			t.Errorf("%s: %d objects, refusal %q, fault %v", test.name, len(converted), refusal, fault)
		}
	}
}

// TestCommandOutputIsBounded: the bytes that a program writes are kept up to the sum of its
// objects' bounds, and up to ReplyBytes, which is less for batches of many objects.
func TestCommandOutputIsBounded(t *testing.T) {
	limits := smallLimits
	limits.ReplyBytes = 1_500_000
	m := loadFixture(t, testLoader(t, limits), "command_megabytes")
	_, _, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject, testObject, testObject})
	wantFault(t, err, faults.Output, "the program wrote more than 1500000 bytes, the limit of an answer to 3 object(s)")

	b := &cappedBuffer{left: 1000}
	for range 10 {
		b.write(make([]byte, 300))
	}
	if b.Len() != 900 || b.left >= 0 {
		t.Errorf("%d bytes kept of 1000, %d left", b.Len(), b.left)
	}
}

// TestCommandAnswerTakesLittleMemory: a program can write millions of values in the place of one
// object, or millions of members. The gateway keeps one value, and ends at as many members as an
// object can have.
func TestCommandAnswerTakesLittleMemory(t *testing.T) {
	const n = 500_000
	var members strings.Builder
	for i := range n {
		fmt.Fprintf(&members, `"%x":0,`, i)
	}
	const objectBytes = 1000
	for _, tc := range []struct{ name, answer, want string }{
		{"values", `{"response":{"uid":"` + commandUID + `","convertedObjects":[1` + strings.Repeat(",1", n-1) + `],"result":{"status":"Success"}}}`, "the program returned 500000 objects for 1"},
		{"members", `{` + members.String() + `"response":{}}`, "the program's stdout is not a ConversionReview: more than 264 members"},
	} {
		answer := []byte(tc.answer)
		var before, after goruntime.MemStats
		goruntime.ReadMemStats(&before)
		_, _, fault := readCommandResponse(answer, 1, func(int) int { return objectBytes }, [][]byte{nil})
		goruntime.ReadMemStats(&after)
		wantFault(t, fault, faults.ABI, tc.want)
		if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
			t.Errorf("%s: reading the answer took %d bytes of memory", tc.name, took)
		}
	}
}

// TestStartOfACommandIsPaidFor: what a program does before it reads its objects has a bound of its own.
func TestStartOfACommandIsPaidFor(t *testing.T) {
	limits := smallLimits
	limits.FuelPerObject, limits.FuelPerByte = 1, 1
	m := loadFixture(t, testLoader(t, limits), "command_good")
	if _, _, err := m.Convert(t.Context(), "g/v1", "g/v2", [][]byte{testObject}); err != nil {
		t.Error(err)
	}
}

// TestCrashOfACommandIsNoRefusal: a program that writes a crash report has not refused the object.
func TestCrashOfACommandIsNoRefusal(t *testing.T) {
	m := loadFixture(t, testLoader(t, smallLimits), "command_panic")
	_, refused, err := m.Convert(t.Context(), "g/v1", "g/v2", [][]byte{testObject})
	wantFault(t, err, faults.Trap, "its last error message: panic: boom")
	if refused != nil {
		t.Errorf("refused %v", refused)
	}
}

// TestOutputAtItsLimit: an output may have all bytes that are left for it.
func TestOutputAtItsLimit(t *testing.T) {
	b := cappedBuffer{left: 4}
	b.write([]byte("abc"))
	if b.write([]byte("d")); b.left != 0 || b.String() != "abcd" {
		t.Errorf("%q, and %d are left", b.String(), b.left)
	}
	if b.write([]byte("e")); b.left >= 0 {
		t.Errorf("a byte more: %d are left", b.left)
	}
}
