package kubebuilder

import (
	"encoding/json"
	"errors"
	"fmt"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
)

// converter returns the converter that decodes an object to what makeIn makes, converts that to what makeOut makes, and
// encodes it. unmarshal nil means encoding/json's.
func converter(unmarshal func([]byte, any) error, makeIn, makeOut func() any, convert func(in, out any) error) crosswalk.Converter {
	if unmarshal == nil {
		unmarshal = json.Unmarshal
	}
	run := func(text []byte) (*crosswalk.Object, error) {
		in, out := makeIn(), makeOut()
		if err := unmarshal(text, in); err != nil {
			return nil, decodeError(err)
		}
		if err := convert(in, out); err != nil {
			return nil, err
		}
		result, err := json.Marshal(out)
		if err != nil {
			return nil, fmt.Errorf("the converted object cannot be encoded: %w", err)
		}
		return crosswalk.Parse(result), nil
	}
	return func(o *crosswalk.Object) error {
		text, _ := o.Raw()
		result, err := run(text)
		if err != nil {
			return err
		}
		if o.IsFragment() {
			withholdUnsaid(result, o, run)
		}
		return replace(o, result)
	}
}

// replace makes o what result is, but for its metadata, of which labels and annotations are taken.
func replace(o, result *crosswalk.Object) error {
	for name, member := range o.Members() {
		if name == "apiVersion" || name == "kind" || name == "metadata" {
			continue
		}
		if _, ok := result.Raw(name); !ok {
			member.Delete()
		}
	}
	for name, member := range result.Members() {
		if name != "apiVersion" && name != "kind" && name != "metadata" {
			o.SetValue(member, name)
		}
	}
	metadata, _ := result.Get("metadata")
	for _, name := range []string{"labels", "annotations"} {
		if value, ok := metadata.Get(name); ok {
			o.SetValue(value, "metadata", name)
		} else {
			o.Delete("metadata", name)
		}
	}
	return result.Err()
}

// decodeError says what is wrong as a person would.
func decodeError(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Errorf(".%s must be a Go %s, but is a JSON %s", wrong.Field, wrong.Type, wrong.Value)
	}
	return fmt.Errorf("the object cannot be decoded: %w", err)
}
