package crosswalktest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"testing"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
)

// Run runs the vectors of a file, each as a subtest, against the conversions that are registered in
// this process. crosswalk test --vectors writes the file from the golden cases of a sidecar.
//
// Run also checks two assumptions of the gateway: a conversion leaves its input unchanged, and
// returns the same result twice. If the module declares fields, Run shows it only these, as the
// gateway does, and compares the result with that for the whole object. It thus finds fields that
// the module reads or writes without declaring them.
func Run(t *testing.T, file string) {
	t.Helper()
	vectors, err := Read(file)
	if err != nil {
		t.Fatal(explain(err))
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

// explain adds the remedy to the error of a file that does not exist, because it is build output.
func explain(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: make test writes it from the golden cases of the sidecar, with crosswalk test --vectors", err)
	}
	return err
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
			t.Errorf("object %d was changed to %s: the converter must not change the bytes that Raw returns", i, input)
		}
		if differs := undeclared(input, v.DesiredAPIVersion, got, err); differs != "" {
			t.Errorf("object %d %s", i, differs)
		}
		if err != nil {
			refusals[i] = err.Error()
			continue
		}
		converted[i] = got
	}
	return converted, refusals
}

// undeclared describes how the result from an object's declared fields differs from the result from
// the whole object. It returns "" if they are equal.
//
// A stash has hashes of the object as the converter sees it. They differ if some of it is not
// declared, and then the stash of one result is stale for the other.
func undeclared(object []byte, desired string, got []byte, err error) string {
	group, _, _ := strings.Cut(desired, "/")
	if _, ok := crosswalk.Parse(object).Annotation("conversion." + group + "/stash"); ok {
		return ""
	}
	whole, errWhole := crosswalk.ConvertWhole(object, desired)
	const why = "a field is read or written that is not declared (crosswalk.Fields)"
	switch {
	case err != nil && errWhole != nil && err.Error() != errWhole.Error():
		return fmt.Sprintf("was refused with\n\t%v\nbut, shown as a whole, with\n\t%v\n%s", err, errWhole, why)
	case err != nil && errWhole != nil:
		return ""
	case err != nil:
		return fmt.Sprintf("was refused with\n\t%v\nbut, shown as a whole, became\n\t%s\n%s", err, whole, why)
	case errWhole != nil:
		return fmt.Sprintf("became\n\t%s\nbut, shown as a whole, was refused with\n\t%v\n%s", got, errWhole, why)
	case equal(withoutHashes(got), withoutHashes(whole)) != nil:
		return fmt.Sprintf("became\n\t%s\nbut, shown as a whole,\n\t%s\n%s", got, whole, why)
	}
	return ""
}

// withoutHashes returns a converted object with the same text for every hash in its stash.
func withoutHashes(object []byte) []byte {
	return regexp.MustCompile(`\\"hash\\":\\"[0-9a-f]{16}\\"`).ReplaceAll(object, []byte(`\"hash\":\"\"`))
}
