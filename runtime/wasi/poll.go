package wasi

import "encoding/binary"

// The sizes of a subscription and an event, and the kinds of both.
const (
	subscriptionBytes = 48
	eventBytes        = 32

	eventClock   = 0
	eventFdRead  = 1
	eventFdWrite = 2
)

// pollOneoff reports every subscription as ready at once: a guest never waits. Sleeping takes no
// time, and stdin has all that it will ever have.
func pollOneoff(c caller, params []uint64) errno {
	in, out, count := uint32(params[0]), uint32(params[1]), uint32(params[2])
	if count == 0 || count > maxSubscriptions {
		return inval
	}
	c.charge(int64(count) * entryFuel)
	subscriptions, ok := c.memory.Read(in, count*subscriptionBytes)
	if !ok {
		return fault
	}
	events, ok := c.memory.Read(out, count*eventBytes)
	if !ok || !c.memory.WriteUint32Le(uint32(params[3]), count) {
		return fault
	}
	for len(subscriptions) > 0 {
		var event [eventBytes]byte
		if e := answer(&event, subscriptions[:subscriptionBytes]); e != success {
			return e
		}
		copy(events, event[:])
		subscriptions, events = subscriptions[subscriptionBytes:], events[eventBytes:]
	}
	return success
}

// answer makes the event of one subscription. Any error number that it returns is the result of the
// whole poll.
func answer(event *[eventBytes]byte, subscription []byte) errno {
	const relative, absolute = 0, 1 // the clock's flags
	le := binary.LittleEndian
	kind, result := subscription[8], success
	switch kind {
	case eventClock:
		switch le.Uint16(subscription[40:]) {
		case relative:
		case absolute:
			return notsup
		default:
			return inval
		}
	case eventFdRead:
		if le.Uint32(subscription[16:]) >= stdio {
			result = badf
		}
	case eventFdWrite:
		result = notsup
		if le.Uint32(subscription[16:]) >= stdio {
			result = badf
		}
	default:
		return inval
	}
	copy(event[:8], subscription[:8]) // the guest's own mark
	le.PutUint16(event[8:], uint16(result))
	event[10] = kind
	return success
}
