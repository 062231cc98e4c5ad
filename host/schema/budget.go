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

// account is the part of a budget that one check has taken.
type account struct {
	budget  *Budget
	units   int64 // taken and not spent
	halted  error // the reason why the check stopped, if it did
	skipped error // the first rule that takes too much work by itself
}

// spend charges units of work. At the end of the budget the check stops: see checker.over.
func (a *account) spend(units int) {
	if a.units -= int64(units); a.units >= 0 || a.halted != nil {
		return
	}
	if a.budget == nil {
		a.units = math.MaxInt64
		return
	}
	taken, err := a.budget.take(-a.units)
	a.units += taken
	a.halted = err
}

// enter adds the units of the object to the budget.
func (a *account) enter(b *Budget, object []byte) {
	a.budget, a.units, a.halted, a.skipped = b, 0, nil, nil
	if b != nil {
		b.left.Add(int64(len(object)) * workOfByte)
	}
}

// leave returns the unspent units, and an error if the check is not complete.
func (a *account) leave() error {
	if a.budget != nil && a.units > 0 {
		a.budget.left.Add(a.units)
	}
	a.budget = nil
	if a.halted != nil {
		return a.halted
	}
	return a.skipped
}
