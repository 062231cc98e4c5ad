package crosswalk

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"testing"
)

// TestFrameExample is the worked example of docs/spec/abi.md.
func TestFrameExample(t *testing.T) {
	r := &registry{}
	r.register("g/v1", "g/v2", func(*Object) error { return nil })
	request, _ := hex.DecodeString("01000000" + "04000000672f7632" + "20000000" + hex.EncodeToString([]byte(`{"apiVersion":"g/v1","kind":"K"}`)))
	response, ok := r.answer(nil, request)
	want := append([]byte{0, 0, 0, 0, 32, 0, 0, 0}, `{"apiVersion":"g/v2","kind":"K"}`...)
	if !ok || !bytes.Equal(response, want) {
		t.Errorf("got %q, %v; want %q", response, ok, want)
	}
}

// requestFrame builds the request for a batch.
func requestFrame(desired string, objects ...string) []byte {
	le := binary.LittleEndian
	b := le.AppendUint32(nil, uint32(len(objects)))
	b = append(le.AppendUint32(b, uint32(len(desired))), desired...)
	for _, o := range objects {
		b = append(le.AppendUint32(b, uint32(len(o))), o...)
	}
	return b
}

// responseFrame builds a response; an answer that begins with "!" is a refusal, one that begins
// with "?" a crash.
func responseFrame(answers ...string) []byte {
	le := binary.LittleEndian
	var b []byte
	for _, a := range answers {
		text, refused := strings.CutPrefix(a, "!")
		status := uint32(0)
		if refused {
			status = 1
		} else if text, refused = strings.CutPrefix(a, "?"); refused {
			status = 2
		}
		b = le.AppendUint32(b, status)
		b = append(le.AppendUint32(b, uint32(len(text))), text...)
	}
	return b
}

func TestFrames(t *testing.T) {
	many, manyAnswers := make([]string, 1000), make([]string, 1000)
	for i := range many {
		many[i] = `{"apiVersion":"g/v1","a":"` + strings.Repeat("x", i) + `"}`
		manyAnswers[i] = `{"apiVersion":"g/v2","b":"` + strings.Repeat("x", i) + `"}`
	}
	tests := []struct {
		name    string
		desired string
		objects []string
		want    []string
	}{
		{"empty batch", "g/v2", nil, nil},
		{"one object", "g/v2", []string{`{"apiVersion":"g/v1","a":1}`}, []string{`{"apiVersion":"g/v2","b":1}`}},
		{"a refusal amid others", "g/v2",
			[]string{`{"apiVersion":"g/v1","a":1}`, `{"apiVersion":"g/v1","a":1,"b":2}`, `{"apiVersion":"g/v1"}`},
			[]string{`{"apiVersion":"g/v2","b":1}`, `!.a cannot be renamed: .b is there already`, `{"apiVersion":"g/v2"}`}},
		{"an empty refusal", "g/silent", []string{`{"apiVersion":"g/v1"}`, `{"apiVersion":"g/silent"}`},
			[]string{`!`, `{"apiVersion":"g/silent"}`}},
		{"an empty object", "g/v2", []string{``, `{}`},
			[]string{`!the object must be an object, but is nothing`, `!.apiVersion must say which version the object is in, but is absent`}},
		{"a thousand", "g/v2", many, manyAnswers},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, ok := testRegistry().answer(nil, requestFrame(test.desired, test.objects...))
			if want := responseFrame(test.want...); !ok || !bytes.Equal(got, want) {
				t.Errorf("got  %.500q, %v\nwant %.500q", got, ok, want)
			}
		})
	}
}

func TestBrokenFrames(t *testing.T) {
	whole := requestFrame("g/v2", `{"apiVersion":"g/v1"}`, `{"apiVersion":"g/v1","a":1}`)
	for cut := range whole {
		if got, ok := testRegistry().answer(nil, whole[:cut]); ok {
			t.Errorf("%d bytes of a frame were answered with %q", cut, got)
		}
	}
	if _, ok := testRegistry().answer(nil, append(whole[:len(whole):len(whole)], 0)); ok {
		t.Error("a frame with a byte left over was answered")
	}
	huge := []byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}
	if _, ok := testRegistry().answer(nil, huge); ok {
		t.Error("a count without objects was answered")
	}
}

// TestNoGarbage holds that one object after the other costs no memory of the SDK's own once the
// buffers have their size.
func TestNoGarbage(t *testing.T) {
	r := &registry{}
	r.register("g/v1", "g/v2", func(o *Object) error {
		if _, ok := o.Get("spec", "replicas"); ok {
			o.SetInt(Path{"spec", "scale", "replicas"}, 3)
			o.Rename(Path{"spec", "replicas"}, "number")
			o.Move(Path{"spec", "a"}, Path{"b"})
		}
		return nil
	})
	request := requestFrame("g/v2", `{"apiVersion":"g/v1","kind":"K","metadata":{"name":"n"},"spec":{"replicas":3,"a":[1,2,3]},"status":{}}`)
	var response []byte
	got := testing.AllocsPerRun(100, func() {
		var ok bool
		if response, ok = r.answer(response[:0], request); !ok || response[0] != 0 {
			t.Fatalf("got %q", response)
		}
	})
	if got > 1 { // the desired version, once in a batch
		t.Errorf("%v allocations per batch, want 1", got)
	}
}
