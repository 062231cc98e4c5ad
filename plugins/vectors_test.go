package plugins_test

import (
	"testing"

	"github.com/crosswalk-gateway/crosswalk/sdk/go/crosswalktest"
)

// TestVectors runs the shared vectors of every plugin in every language, as WebAssembly.
func TestVectors(t *testing.T) {
	forEach(t, func(t *testing.T, c converter, vectors []crosswalktest.Vector) {
		g := newGuest(t, c.file)
		for _, v := range vectors {
			t.Run(v.Name, func(t *testing.T) {
				converted, refusals := split(g.answers(t, v.DesiredAPIVersion, objects(v)...))
				if err := v.Check(converted, refusals); err != nil {
					t.Error(err)
				}
			})
		}
	})
}

// split sorts answers into what Check takes.
func split(answers []answer) (converted [][]byte, refusals map[int]string) {
	converted, refusals = make([][]byte, len(answers)), map[int]string{}
	for i, a := range answers {
		if a.status == 1 {
			refusals[i] = a.body
		} else {
			converted[i] = []byte(a.body)
		}
	}
	return converted, refusals
}
