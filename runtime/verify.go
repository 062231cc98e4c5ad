package runtime

import (
	"bytes"
	"context"
	"maps"
	"slices"
)

// verify converts a batch again, in reverse order, and reports when the answers are not the same: then what the module makes of an object
// depends on its neighbours, or on what it has seen before, or the engine is at fault. The first answers stand. A command is given
// the batch as it was, for of several objects that it refuses it names the first.
func (m *Module) verify(ctx context.Context, to string, objects, converted [][]byte, refused map[int]string) {
	order := slices.Clone(objects)
	if !m.command {
		slices.Reverse(order)
	}
	again, refusedAgain, fault := m.once(ctx, to, order)
	if !m.command {
		slices.Reverse(again)
		refusedAgain = mirrored(refusedAgain, len(objects))
	}
	switch {
	case fault != nil && (!fault.blamesModule() || fault.Kind == FaultDeadline):
		return // nothing was learned
	case fault == nil && slices.EqualFunc(converted, again, bytes.Equal) && maps.Equal(refused, refusedAgain):
		m.metrics.same.Inc()
		return
	}
	m.impure.Store(true)
	m.metrics.different.Inc()
	m.logger.Error("module answered the same objects differently the second time; its conversions are not pure", "sha256", short(m.digest), "to", to, "objects", len(objects))
}

// mirrored counts the indices of n objects from the other end.
func mirrored(refused map[int]string, n int) map[int]string {
	out := make(map[int]string, len(refused))
	for i, why := range refused {
		out[n-1-i] = why
	}
	return out
}
