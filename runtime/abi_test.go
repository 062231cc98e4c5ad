package runtime

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"
)

// TestFrames has the worked example of docs/abi.md.
func TestFrames(t *testing.T) {
	object := []byte(`{"apiVersion":"g/v1","kind":"K"}`)
	frame := make([]byte, requestSize("g/v2", [][]byte{object}))
	writeRequest(frame, "g/v2", [][]byte{object})
	want := "01000000" + "04000000" + hex.EncodeToString([]byte("g/v2")) + "20000000" + hex.EncodeToString(object)
	if got := hex.EncodeToString(frame); got != want {
		t.Errorf("request\n got %s\nwant %s", got, want)
	}
	response, _ := hex.DecodeString("00000000" + "20000000" + hex.EncodeToString(object))
	converted, refused, fault := readResponse(response, 1, func(int) int { return 100 })
	if fault != nil || refused != nil || !bytes.Equal(converted[0], object) {
		t.Errorf("response: %q, %v, %v", converted, refused, fault)
	}
}

func TestWords(t *testing.T) {
	long := strings.Repeat("ä", maxRefusal)
	for in, want := range map[string]string{
		"":                      "the module gave no reason",
		" \n":                   "the module gave no reason",
		"spec.x: no\n":          "spec.x: no",
		"two\nlines\tand a tab": "two\nlines\tand a tab",
		"bell\a and \x1b[31m":   "bell and [31m",
		"bad \xff utf-8":        "bad \uFFFD utf-8",
	} {
		if got := words([]byte(in)); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
	for _, before := range []string{"", "x"} { // so that the bound falls between characters, and into one
		want := before + strings.Repeat("ä", (maxRefusal-len(before))/2)
		if got := words([]byte(before + long)); got != want {
			t.Errorf("a long text becomes %d bytes that end %q, want %d", len(got), got[len(got)-4:], len(want))
		}
	}
}

// FuzzResponse reads arbitrary response frames: an answer for each object within its limits and within the frame, or an ABI
// or output fault.
func FuzzResponse(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 2, 0, 0, 0, '{', '}'}, uint8(1))
	f.Add([]byte{1, 0, 0, 0, 2, 0, 0, 0, 'n', 'o', 0, 0, 0, 0, 0, 0, 0, 0}, uint8(2))
	f.Add([]byte{0, 0, 0, 0, 255, 255, 255, 255}, uint8(1))
	f.Fuzz(func(t *testing.T, frame []byte, n uint8) {
		const limit = 64
		converted, refused, fault := readResponse(bytes.Clone(frame), int(n), func(int) int { return limit })
		if fault != nil {
			if fault.Kind != FaultABI && fault.Kind != FaultOutput {
				t.Fatalf("a %s fault", fault.Kind)
			}
			return
		}
		used := 0
		for i := range int(n) {
			why, no := refused[i]
			if no != (converted[i] == nil) {
				t.Fatalf("answer %d: %q and refused %v", i, converted[i], no)
			}
			if len(converted[i]) > limit || len(why) > maxRefusal+40 {
				t.Fatalf("answer %d is too long", i)
			}
			used += 8 + len(converted[i])
		}
		if len(converted) != int(n) || used > len(frame) {
			t.Fatalf("%d answers of %d bytes from a frame of %d", len(converted), used, len(frame))
		}
	})
}
