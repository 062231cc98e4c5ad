package wasi

// The clocks that a guest can name.
const (
	clockRealtime  = 0
	clockMonotonic = 1
	clockProcess   = 2 // processor time of the process
	clockThread    = 3 // of the thread, which is the only one
)

func clockResGet(c caller, params []uint64) errno {
	if uint32(params[0]) > clockThread {
		return inval
	}
	if !c.memory.WriteUint64Le(uint32(params[1]), 1) {
		return fault
	}
	return success
}

func clockTimeGet(c caller, params []uint64) errno {
	var now int64
	switch uint32(params[0]) {
	case clockRealtime:
		now = c.host.Walltime()
	case clockMonotonic:
		now = c.host.Nanotime()
	case clockProcess, clockThread:
		now = c.host.FuelUsed()
	default:
		return inval
	}
	if !c.memory.WriteUint64Le(uint32(params[2]), uint64(now)) {
		return fault
	}
	return success
}

// randomGet fills a buffer, a chunk at a time.
func randomGet(c caller, params []uint64) errno {
	buf, ok := c.memory.Read(uint32(params[0]), uint32(params[1]))
	if !ok {
		return fault
	}
	for len(buf) > 0 {
		n := min(len(buf), chunk)
		c.charge(priceOf(n))
		c.host.Random(buf[:n])
		buf = buf[n:]
	}
	return success
}
