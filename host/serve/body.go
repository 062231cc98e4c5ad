package serve

import (
	"context"
	"errors"
	"io"
	"math/bits"
	"sync"

	"github.com/crosswalk-gateway/crosswalk/internal/fair"
)

const (
	// minBuffer is the size of the first buffer, which is not paid for: each connection may have
	// one.
	minBuffer = smallMessage
	// growthDeclared is how a buffer grows when the declared length is larger: 16, 64, 256 KiB, 1,
	// 4, 16, 64 MiB, which copies a third of the body. Without a declared length it doubles. A
	// buffer grows only as bytes arrive, so a client that declares 64 MiB and sends nothing takes
	// nothing of the budget.
	growthDeclared, growthUnknown = 4, 2
)

// LargestBody is the most that ServerConfig.MaxBodyBytes may be, 512 GiB.
const LargestBody = 1 << 39

var errBodyTooLarge = errors.New("the request body is too large")

// bodies reads request bodies into pooled buffers under one budget of bytes, which bounds the
// memory of all requests together beyond the first buffer of each. It is safe for concurrent use.
type bodies struct {
	max    int64           // of one body, bytes
	budget *fair.Semaphore // its units are bytes of buffer, in use
	pools  [40]sync.Pool   // of *[]byte with a capacity of 1<<index, see LargestBody
}

// pooledBody is the bytes of one request. The owner calls release when nothing refers to them any
// more.
type pooledBody struct {
	bytes []byte
	home  *bodies
	slice *[]byte // the pool's reference to the buffer

	whose func(begin []byte) fair.Claim // whose review it is, by the first minBuffer bytes
	claim fair.Claim                    // for no bytes, once whose was called
	known bool                          // it was
}

// account returns whose review it is.
func (b *pooledBody) account() (account, owner string) {
	if !b.known && b.whose != nil {
		b.claim, b.known = b.whose(b.bytes), true
	}
	return b.claim.Account, b.claim.Owner
}

// read reads a body of the declared length, or of unknown length if that is negative, into b, which
// must be empty and stays so after an error.
//
// # Errors
//
//   - errBodyTooLarge: longer than the maximum, declared or not.
//   - fair.ErrFull, fair.ErrWait: the budget is spent.
//   - the reader's error: a deadline, a broken connection.
func (p *bodies) read(ctx context.Context, r io.Reader, declared int64, b *pooledBody) error {
	if declared > p.max {
		return errBodyTooLarge
	}
	b.home = p
	err := b.grow(ctx, min(declared, minBuffer))
	for err == nil {
		if len(b.bytes) == cap(b.bytes) {
			err = b.more(ctx, r, declared)
			continue
		}
		var n int
		n, err = r.Read(b.bytes[len(b.bytes):cap(b.bytes)])
		b.bytes = b.bytes[:len(b.bytes)+n]
		if int64(len(b.bytes)) > p.max {
			err = errBodyTooLarge
		}
	}
	if err != io.EOF {
		b.release()
		return err
	}
	return nil
}

// more makes room behind a full buffer, but only when another byte is there to put into it.
func (b *pooledBody) more(ctx context.Context, r io.Reader, declared int64) error {
	var next [1]byte
	n, end := r.Read(next[:])
	if n == 0 {
		return end
	}
	have := int64(len(b.bytes))
	if have+1 > b.home.max {
		return errBodyTooLarge
	}
	want := growthUnknown * have
	if declared > have {
		want = min(growthDeclared*have, declared)
	}
	b.account() // the first buffer is full
	if err := b.grow(ctx, want); err != nil {
		return err
	}
	b.bytes = append(b.bytes, next[0])
	return end
}

// grow moves the body into a buffer of at least size bytes, paid for before it is taken.
func (b *pooledBody) grow(ctx context.Context, size int64) error {
	class := bits.Len64(uint64(max(size, minBuffer)) - 1)
	if c := b.claimFor(1 << class); c.Units > 0 {
		if err := b.home.budget.Acquire(ctx, c); err != nil {
			return err
		}
	}
	slice, _ := b.home.pools[class].Get().(*[]byte)
	if slice == nil {
		fresh := make([]byte, 0, 1<<class)
		slice = &fresh
	}
	old := *b
	b.slice = slice
	b.bytes = append((*slice)[:0], old.bytes...)
	old.release()
	return nil
}

// release returns the buffer to the pool. The body must not be used afterwards; releasing it twice
// does nothing.
func (b *pooledBody) release() {
	if b.slice == nil {
		return
	}
	size := cap(*b.slice)
	b.home.pools[bits.Len(uint(size))-1].Put(b.slice)
	if c := b.claimFor(int64(size)); c.Units > 0 {
		b.home.budget.Release(c)
	}
	b.slice, b.bytes = nil, nil
}

// claimFor is the part of the budget that a buffer takes. The first one is free.
func (b *pooledBody) claimFor(size int64) (c fair.Claim) {
	if size > minBuffer {
		c = b.claim
		c.Units, c.Large = size, size > largeMessage
	}
	return c
}

// buffersFor is the most memory of one body of the largest size: its buffer, and the previous
// buffer while the bytes move.
func buffersFor(maxBody int64) int64 { return 2 << bits.Len64(uint64(max(maxBody, minBuffer))-1) }
