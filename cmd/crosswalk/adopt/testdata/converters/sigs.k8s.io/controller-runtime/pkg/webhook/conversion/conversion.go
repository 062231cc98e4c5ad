// Package conversion has the functions of controller-runtime's package that make converters. The
// end of its path is that package's.
package conversion

import "context"

type SpokeConverter[Hub any] interface{ hub() Hub }

func NewSpokeConverter[Hub, Spoke any](spoke Spoke, fromHub func(ctx context.Context, hub Hub, spoke Spoke) error, toHub func(ctx context.Context, spoke Spoke, hub Hub) error) SpokeConverter[Hub] {
	return nil
}

func NewHubSpokeConverter[Hub any](hub Hub, spokes ...SpokeConverter[Hub]) func() error {
	return nil
}
