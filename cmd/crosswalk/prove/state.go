package prove

import (
	"context"
	"fmt"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
)

// State has the module of a file state that its rules are proved, if they are, and returns the verdict,
// which has measures in any case. It looks for a counterexample only if all conditions hold.
//
// The error is that ctx ended, or that the module cannot be tested.
func State(ctx context.Context, f *rules.File, text []byte, crd *apiextensionsv1.CustomResourceDefinition) (*Verdict, error) {
	d, err := apiserver.New(crd)
	if err != nil {
		return &Verdict{}, nil // crosswalk prove says why
	}
	o := Options{Objects: 1000, For: 10 * time.Second}
	if len(Decide(f, d).Open) > 0 {
		o.Objects = 1 // for the measure alone
	}
	v, err := Rules(ctx, f, text, crd, o)
	if err != nil {
		return nil, err
	}
	if v.Answer == Proved {
		carried, of := fuzz.Carries(v.Measures)
		f.StateProof(v.Rules, v.Schemas, len(v.Limits), fmt.Sprintf("%d of %d", carried, of))
	}
	return v, nil
}
