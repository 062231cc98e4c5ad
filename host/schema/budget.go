package schema

import (
	"context"
	"errors"
	"math"
	"runtime"
	"sync/atomic"
)

// ErrWork says that a check needs more work than its budget has. Violations reported before it are
// valid.
var ErrWork = errors.New("the check takes more work than it may")

// Budget is the work that the checks of one review may take together. A unit is about a nanosecond:
// a byte of JSON that is read. It may be used by many goroutines at once.
type Budget struct {
	ctx  context.Context
	left atomic.Int64
}

const (
	// baseWork is the units that every review has: a tenth of a second.
	baseWork = 64 << 20
	// workOfByte is the units that each byte of an object adds. The real definitions in testdata
	// take up to 20, and the most for a pattern in each string.
	workOfByte = 128
	// workAtOnce is the units that a check takes from its budget at a time: some milliseconds.
	// Between two times it looks at the context and lets other goroutines run.
	workAtOnce = 1 << 20

	// The price of each step of a check, besides one unit for each byte that it reads for each
	// schema.
	workOfValue  = 32 // any value
	workOfFormat = 8  // a byte of a string with a format
	workOfSorted = 8  // a byte of a value that is compared with others: its members are sorted first

	// workOfMatch is the most units of one match, which cannot be interrupted: a quarter of a
	// second with the worst pattern.
	workOfMatch = 32 << 20
)

// NewBudget returns the budget of a review, which ends with ctx.
func NewBudget(ctx context.Context) *Budget {
	b := &Budget{ctx: ctx}
	b.left.Store(baseWork)
	return b
}

// take takes n units, or some more in advance.
func (b *Budget) take(n int64) (taken int64, err error) {
	runtime.Gosched()
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	n = max(n, workAtOnce)
	if b.left.Add(-n) < 0 {
		b.left.Add(n)
		return 0, ErrWork
	}
	return n, nil
}

// spend charges units of work. At the end of the budget the check stops: see over.
func (c *checker) spend(units int) {
	if c.units -= int64(units); c.units >= 0 || c.halted != nil {
		return
	}
	if c.budget == nil {
		c.units = math.MaxInt64
		return
	}
	taken, err := c.budget.take(-c.units)
	c.units += taken
	c.halted = err
}

// enter adds the units of the object to the budget.
func (c *checker) enter(b *Budget, object []byte) {
	c.budget, c.units, c.halted, c.skipped = b, 0, nil, nil
	if b != nil {
		b.left.Add(int64(len(object)) * workOfByte)
	}
}

// leave returns the unspent units, and an error if the check is not complete.
func (c *checker) leave() error {
	if c.budget != nil && c.units > 0 {
		c.budget.left.Add(c.units)
	}
	c.budget = nil
	if c.halted != nil {
		return c.halted
	}
	return c.skipped
}
