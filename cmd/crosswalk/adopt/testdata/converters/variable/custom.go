package variable

import (
	v2 "example.com/converters/api/v2"
	"example.com/converters/sigs.k8s.io/controller-runtime/pkg/webhook/conversion"
)

type custom struct {
	conversion.SpokeConverter[*v2.Custom]
}

var _ = conversion.NewHubSpokeConverter(&v2.Custom{}, custom{})
