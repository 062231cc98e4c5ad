//go:build !crosswalk_adopt

package kubebuilder

import (
	"encoding/json"
	"errors"
	"fmt"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
	"github.com/crosswalk-gateway/crosswalk/sdk/go/kubebuilder/internal/codec"
)

// newSet returns a set of codecs, which leaves unsupported types to encoding/json.
func newSet() *codec.Set {
	return codec.NewSet(codec.Fallback{Marshal: json.Marshal, Unmarshal: json.Unmarshal})
}

// typeError returns the error in the codec's words if it is one of encoding/json about a value's
// type.
func typeError(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Errorf(".%s must be a Go %s, but is a JSON %s", wrong.Field, wrong.Type, wrong.Value)
	}
	return nil
}

// lossless is crosswalk.Lossless, and restoring its counterpart for a version that has a field for
// everything.
func lossless(convert, back crosswalk.Converter) crosswalk.Converter {
	return crosswalk.Lossless(convert, back)
}

func restoring(convert crosswalk.Converter) crosswalk.Converter {
	return func(o *crosswalk.Object) error {
		o.Restore()
		return convert(o)
	}
}
