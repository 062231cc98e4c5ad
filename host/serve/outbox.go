package serve

import "sync"

// outbox gathers the parts of an answer, so that one system call sends it. net/http writes through
// a buffer of 4 KiB, and TLS makes a record of each part: the answer to a review of one common
// object would take two system calls, and wake its client twice. It is safe for concurrent use.
type outbox struct {
	writing   sync.Mutex // is held while writing below, because the order of TLS records counts
	gathering bool
	parts     *[]byte // written since gather; nil unless gathering
}

// outboxBuffers has buffers for gathered answers, with room for headers and for what TLS adds. A
// buffer belongs to a connection only while an answer is gathered and sent.
var outboxBuffers = sync.Pool{New: func() any { b := make([]byte, 0, smallMessage+2<<10); return &b }}

// gather keeps what is written from now on. sendGathered must follow.
func (c *connection) gather() {
	if c == nil {
		return
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	c.gathering, c.parts = true, outboxBuffers.Get().(*[]byte)
}

// sendGathered sends what was written since gather.
func (c *connection) sendGathered() {
	c.writing.Lock()
	defer c.writing.Unlock()
	parts := c.parts
	c.gathering, c.parts = false, nil
	if len(*parts) > 0 {
		if _, err := c.send(*parts); err != nil {
			_ = c.Close() // a part is missing, so nothing may follow
		}
	}
	*parts = (*parts)[:0]
	outboxBuffers.Put(parts)
}

// Write writes to the connection, or keeps the bytes while they are gathered.
func (c *connection) Write(b []byte) (int, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.gathering {
		*c.parts = append(*c.parts, b...)
		return len(b), nil
	}
	return c.send(b)
}
