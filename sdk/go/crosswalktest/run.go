package crosswalktest

import (
	"bytes"
	"testing"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
)

// Run runs the vectors of a file, each as a subtest, against the conversions that are registered in this process. It also
// checks what the gateway takes for granted: that converting leaves its input alone and gives the same answer twice.
func Run(t *testing.T, file string) {
	t.Helper()
	vectors, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(vectors) == 0 {
		t.Fatalf("%s has no vectors", file)
	}
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			converted, refusals := convert(t, v)
			if err := v.Check(converted, refusals); err != nil {
				t.Error(err)
			}
		})
	}
}

// convert converts the objects of v.
func convert(t *testing.T, v Vector) (converted [][]byte, refusals map[int]string) {
	converted, refusals = make([][]byte, len(v.Objects)), map[int]string{}
	for i, object := range v.Objects {
		input := bytes.Clone(object)
		got, err := crosswalk.Convert(input, v.DesiredAPIVersion)
		again, errAgain := crosswalk.Convert(input, v.DesiredAPIVersion)
		if !bytes.Equal(got, again) || (err == nil) != (errAgain == nil) {
			t.Errorf("object %d became %s, %v and then %s, %v: a conversion may depend on its object alone", i, got, err, again, errAgain)
		}
		if !bytes.Equal(input, object) {
			t.Errorf("object %d was changed to %s: what Raw returns must be left as it is", i, input)
		}
		if err != nil {
			refusals[i] = err.Error()
			continue
		}
		converted[i] = got
	}
	return converted, refusals
}
