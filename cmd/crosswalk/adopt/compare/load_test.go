package compare

import (
	"context"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

const testOperator = "../testdata/operator"

// load returns the operator's packages, and the only kind that they convert.
func load(t *testing.T, patterns ...string) (*operator.Program, discover.Resource) {
	t.Helper()
	p, err := operator.Load(context.Background(), operator.Workplace{Dir: testOperator, Patterns: patterns})
	if err != nil {
		t.Fatal(err)
	}
	kinds, notes := discover.Find(p)
	if len(kinds) != 1 || len(notes) != 0 {
		t.Fatalf("found %v, %v", kinds, notes)
	}
	return p, kinds[0]
}
