package load

import (
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/memory"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// lowered returns the operator's limits, replaced by a sidecar's lower ones. A limit higher than
// the operator's is an error: the author of a sidecar is not responsible for the machine.
func lowered(limits module.Limits, s *artifact.Sidecar) (module.Limits, error) {
	if n := s.Limits.FuelPerObject; n > limits.FuelPerObject {
		return limits, fmt.Errorf("%s: limits.fuelPerObject %d is more than the gateway's %d: lower it, or have --fuel-per-object raised", s.File, n, limits.FuelPerObject)
	} else if n > 0 {
		limits.FuelPerObject = n
	}
	if n, most := s.Limits.Memory, int64(limits.MemoryPages)*memory.PageSize; n > most {
		return limits, fmt.Errorf("%s: limits.memory of %d bytes is more than the gateway's %d: lower it, or have --module-memory-bytes raised", s.File, n, most)
	} else if n > 0 {
		limits.MemoryPages = uint32(n / memory.PageSize)
	}
	if d := s.Limits.CallTimeout; d > limits.CallTime {
		return limits, fmt.Errorf("%s: limits.callTimeout %v is more than the gateway's %v: lower it, or have --call-timeout raised", s.File, d, limits.CallTime)
	} else if d > 0 {
		limits.CallTime = d
	}
	return limits, nil
}
