package runtime

import (
	"bytes"
	"context"
	"maps"
	"slices"
)

// verify converts a batch again, on an instance of the module's own choosing, and reports when the answers are not the same:
// then what the module does is no pure function of its input, or the engine is at fault. The first answers stand.
func (m *Module) verify(ctx context.Context, to string, objects, converted [][]byte, refused map[int]string) {
	again, refusedAgain, fault := m.once(ctx, to, objects)
	switch {
	case fault != nil && !fault.blamesModule():
		return // nothing was learned
	case fault == nil && slices.EqualFunc(converted, again, bytes.Equal) && maps.Equal(refused, refusedAgain):
		m.metrics.same.Inc()
		return
	}
	m.impure.Store(true)
	m.metrics.different.Inc()
	m.logger.Error("module answered the same batch differently the second time; its conversions are not pure", "sha256", short(m.digest), "to", to, "objects", len(objects))
}
