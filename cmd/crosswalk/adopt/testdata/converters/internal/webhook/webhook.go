// Package webhook makes converters as operators do.
package webhook

import (
	"context"
	"errors"
	"strings"

	v1 "example.com/converters/api/v1"
	v2 "example.com/converters/api/v2"
	"example.com/converters/sigs.k8s.io/controller-runtime/pkg/webhook/conversion"
)

var Exported = conversion.NewHubSpokeConverter(&v2.Exported{},
	conversion.NewSpokeConverter(&v1.Exported{}, ConvertHubToV1, ConvertV1ToHub))

func ConvertV1ToHub(_ context.Context, src *v1.Exported, dst *v2.Exported) error {
	dst.New = strings.ToUpper(src.Old)
	return v1.Convert_v1_Exported_To_v2_Exported(src, dst, nil)
}

func ConvertHubToV1(ctx context.Context, src *v2.Exported, dst *v1.Exported) error {
	if src.New == "refused" {
		return errors.New("this value is refused")
	}
	dst.Old = strings.ToLower(src.New)
	return v1.Convert_v2_Exported_To_v1_Exported(src, dst, nil)
}

func setUp() []func() error {
	return []func() error{
		conversion.NewHubSpokeConverter[*v2.Lower](&v2.Lower{}, conversion.NewSpokeConverter[*v2.Lower, *v1.Lower](&v1.Lower{}, lowerToV1, lowerToHub)),
		conversion.NewHubSpokeConverter(&v2.Literal{}, conversion.NewSpokeConverter(&v1.Literal{},
			func(ctx context.Context, src *v2.Literal, dst *v1.Literal) error {
				dst.ObjectMeta, dst.Old = src.ObjectMeta, src.New+suffix
				return nil
			}, func(_ context.Context, src *v1.Literal, dst *v2.Literal) error {
				dst.ObjectMeta, dst.New = src.ObjectMeta, strings.TrimSuffix(src.Old, suffix)
				return nil
			})),
	}
}

const suffix = "-old"

func lowerToHub(_ context.Context, src *v1.Lower, dst *v2.Lower) error {
	dst.ObjectMeta, dst.New = src.ObjectMeta, src.Old
	return nil
}

func lowerToV1(_ context.Context, src *v2.Lower, dst *v1.Lower) error {
	dst.ObjectMeta, dst.Old = src.ObjectMeta, src.New
	return nil
}
