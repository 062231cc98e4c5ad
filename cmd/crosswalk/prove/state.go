package prove

import (
	"context"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
)

// State has the module of a file state that its rules are proved, if they are, and returns how many
// limits the proof has. It looks for a
// counterexample only if all conditions hold.
//
// The error is that ctx ended, or that the module cannot be tested.
func State(ctx context.Context, f *rules.File, text []byte, crd *apiextensionsv1.CustomResourceDefinition) (proved bool, limits int, err error) {
	d, err := apiserver.New(crd)
	if err != nil || len(Decide(f, d).Open) > 0 {
		return false, 0, nil // crosswalk prove says why
	}
	v, err := Rules(ctx, f, text, crd, Options{Objects: 1000, For: 10 * time.Second})
	if err != nil || v.Answer != Proved {
		return false, 0, err
	}
	f.StateProof(v.Rules, v.Schemas, len(v.Limits))
	return true, len(v.Limits), nil
}
