package kubebuilder

import "unsafe"

//go:wasmimport wasi_snapshot_preview1 clock_time_get
func clockTimeGet(id uint32, precision uint64, time unsafe.Pointer) (errno uint32)

// fuelUsed returns the fuel that the module has used in this call. A gateway tells it as processor
// time; ok is false if it has no such clock.
func fuelUsed() (fuel int64, ok bool) {
	const processorTime = 2
	ok = clockTimeGet(processorTime, 1, unsafe.Pointer(&fuel)) == 0
	return fuel, ok
}
