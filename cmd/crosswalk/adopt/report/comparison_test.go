package report

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/compare"
)

// TestPairLines reports one direction.
func TestPairLines(t *testing.T) {
	var out bytes.Buffer
	r := New(&out)
	p := compare.Pair{
		From: "g/v1", To: "g/v2", Compared: 9, Samples: 1, Given: 3, Differing: 2, Differences: []compare.Difference{{Path: "spec.a", Module: "1", Want: "2", Object: "{}"}},
		Unseen: 2, UnseenAt: []string{"spec.b"}, Unstable: 1, UnstableAt: []string{"spec.list[]"}, Refusals: []compare.Text{{Text: "decoding: bad", Count: 3}, {Text: "a\nb", Count: 1}}, Panics: []compare.Text{{Text: "nil", Count: 2}},
	}
	for i := range mostTexts {
		p.Refusals = append(p.Refusals, compare.Text{Text: fmt.Sprint(i), Count: 1})
	}
	r.pair(p)
	const want = `g/v1 to g/v2: 9 objects compared (1 of them the operator's samples, and 2 made from its definition), 2 differ
  differs at spec.a: the module has 1, the operator's code 2
  the operator's own results depend on metadata.managedFields or metadata.resourceVersion for 2 objects, at spec.b
  the operator's own results differ from each other for 1 objects, at spec.list[]
  refused by the operator's code once: a b
  refused by the operator's code once: 0
  refused by the operator's code once: 1
  refused by the operator's code once: 2
  and with other texts (report.json lists them)
  not decodable by the operator's types 3 times
  a panic in the operator's code 2 times: nil
`
	if out.String() != want {
		t.Errorf("got\n%s", &out)
	}
}
