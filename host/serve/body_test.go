package serve

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/fair"
)

func testBodies(max, budget int64) *bodies {
	return &bodies{max: max, budget: fair.NewSemaphore(fair.Config{Limit: budget, MaxWaiting: 0, Wait: time.Millisecond})}
}

func TestBodiesRead(t *testing.T) {
	const limit = 3 << 20
	cut := errors.New("connection cut")
	content := make([]byte, limit+1)
	for i := range content {
		content[i] = byte(i >> 3)
	}
	for _, test := range []struct {
		name     string
		body     io.Reader
		declared int64
		want     int // bytes
		err      error
	}{
		{"empty", bytes.NewReader(nil), 0, 0, nil},
		{"empty, of unknown length", bytes.NewReader(nil), -1, 0, nil},
		{"declared", bytes.NewReader(content[:100]), 100, 100, nil},
		{"of unknown length", bytes.NewReader(content[:100]), -1, 100, nil},
		{"exactly the first buffer", bytes.NewReader(content[:minBuffer]), minBuffer, minBuffer, nil},
		{"exactly the first buffer, of unknown length", bytes.NewReader(content[:minBuffer]), -1, minBuffer, nil},
		{"one more, of unknown length", bytes.NewReader(content[:minBuffer+1]), -1, minBuffer + 1, nil},
		{"byte by byte", iotest.OneByteReader(bytes.NewReader(content[:minBuffer+1])), -1, minBuffer + 1, nil},
		{"the end comes with the data", iotest.DataErrReader(bytes.NewReader(content[:minBuffer])), minBuffer, minBuffer, nil},
		{"the limit", bytes.NewReader(content[:limit]), limit, limit, nil},
		{"the limit, of unknown length", bytes.NewReader(content[:limit]), -1, limit, nil},
		{"declared above the limit", bytes.NewReader(nil), limit + 1, 0, errBodyTooLarge},
		{"above the limit, of unknown length", bytes.NewReader(content), -1, 0, errBodyTooLarge},
		{"more than declared and above the limit", bytes.NewReader(content), 10, 0, errBodyTooLarge},
		{"cut", io.MultiReader(bytes.NewReader(content[:10]), iotest.ErrReader(cut)), 100, 0, cut},
		{"cut between buffers", io.MultiReader(bytes.NewReader(content[:minBuffer]), iotest.ErrReader(cut)), -1, 0, cut},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := testBodies(limit, 16<<20)
			var b pooledBody
			err := p.read(t.Context(), test.body, test.declared, &b)
			if !errors.Is(err, test.err) {
				t.Fatalf("error %v, want %v", err, test.err)
			}
			if err == nil {
				if !bytes.Equal(b.bytes, content[:test.want]) {
					t.Errorf("%d bytes, not the %d sent", len(b.bytes), test.want)
				}
				used, _ := p.budget.Load()
				if small := test.want <= minBuffer; small && used != 0 || !small && (used < int64(test.want) || used > 4*int64(test.want)) {
					t.Errorf("%d bytes of the budget taken for %d", used, test.want)
				}
				b.release()
				b.release()
			}
			if used, _ := p.budget.Load(); used != 0 {
				t.Errorf("%d bytes of the budget still taken at the end", used)
			}
		})
	}
}

// A declared length is a promise: nothing of the budget is taken on the word of it, and little more
// than came.
func TestBodiesBelieveNoLength(t *testing.T) {
	p := testBodies(64<<20, 256<<20)
	in, out := io.Pipe()
	done := make(chan error)
	go func() { // ends when the pipe is closed
		done <- p.read(t.Context(), in, 64<<20, new(pooledBody))
	}()
	// The last of two bytes is read after the buffer has grown for the first.
	for _, step := range []struct{ came, held int64 }{{10, 0}, {minBuffer - 10, 0}, {2, 4 * minBuffer}, {3*minBuffer - 2, 4 * minBuffer}, {2, 16 * minBuffer}} {
		_, _ = out.Write(make([]byte, step.came)) // returns when it was read
		if used, _ := p.budget.Load(); used != step.held {
			t.Errorf("%d bytes held after %d more came, want %d", used, step.came, step.held)
		}
	}
	out.Close()
	<-done
}

func TestBodiesStayInTheirBudget(t *testing.T) {
	p := testBodies(1<<20, 40<<10)
	var first, second pooledBody
	if err := p.read(t.Context(), bytes.NewReader(make([]byte, 20<<10)), 20<<10, &first); err != nil { // 32 KiB
		t.Fatal(err)
	}
	if err := p.read(t.Context(), bytes.NewReader(make([]byte, minBuffer+1)), minBuffer+1, &second); err != fair.ErrFull {
		t.Fatalf("beyond the budget: %v, want %v", err, fair.ErrFull)
	}
	if err := p.read(t.Context(), bytes.NewReader(make([]byte, minBuffer)), minBuffer, &second); err != nil {
		t.Fatalf("a small body beside a spent budget: %v", err)
	}
	second.release()
	first.release()
	if err := p.read(t.Context(), bytes.NewReader(make([]byte, minBuffer+1)), minBuffer+1, &second); err != nil {
		t.Fatalf("after a release: %v", err)
	}
	second.release()
}

// TestAccountsShareBodies: an account whose large bodies hold all the memory that it can get leaves
// some for a large body of another account. Whose body it is, its first bytes say.
func TestAccountsShareBodies(t *testing.T) {
	p := testBodies(1<<20, 16<<20)
	read := func(account string) (b *pooledBody, err error) {
		content := append([]byte(account+" "), make([]byte, 900_000)...)
		b = &pooledBody{whose: func(begin []byte) fair.Claim {
			if len(begin) != minBuffer {
				t.Errorf("the account is read from %d bytes, want %d", len(begin), minBuffer)
			}
			return fair.Claim{Account: accountOf(begin)}
		}}
		return b, p.read(t.Context(), bytes.NewReader(content), int64(len(content)), b)
	}
	var all []*pooledBody
	for {
		b, err := read("busy")
		if err != nil {
			break
		}
		all = append(all, b)
	}
	if n := len(all); n < 6 || n > 8 {
		t.Errorf("one account holds %d of 16 MiB", n)
	}
	b, err := read("other")
	if err != nil {
		t.Errorf("a large body of another account: %v", err)
	}
	for _, b := range append(all, b) {
		b.release()
	}
	if used, _ := p.budget.Load(); used != 0 {
		t.Errorf("%d bytes of the budget still taken at the end", used)
	}
}

func TestHammerBodies(t *testing.T) {
	p := &bodies{max: 1 << 20, budget: fair.NewSemaphore(fair.Config{Limit: 8 << 20, MaxWaiting: 100, Wait: 10 * time.Second})}
	var all sync.WaitGroup
	for caller := range 8 {
		all.Go(func() {
			want := bytes.Repeat([]byte{byte(caller)}, 9_000*(caller+1))
			for i := range 100 {
				declared := int64(len(want))
				if i%2 == 0 {
					declared = -1
				}
				var b pooledBody
				if err := p.read(t.Context(), bytes.NewReader(want), declared, &b); err != nil {
					t.Error(err)
					return
				}
				if !bytes.Equal(b.bytes, want) {
					t.Error("another request's bytes")
				}
				b.release()
			}
		})
	}
	all.Wait()
	if used, _ := p.budget.Load(); used != 0 {
		t.Errorf("%d bytes of the budget still taken at the end", used)
	}
}

// TestBodyOneByteAboveItsLimit: the limit holds where a buffer is full at it, and the last byte comes
// with the end.
func TestBodyOneByteAboveItsLimit(t *testing.T) {
	p := testBodies(minBuffer, 16<<20)
	var b pooledBody
	if err := p.read(t.Context(), iotest.DataErrReader(bytes.NewReader(make([]byte, minBuffer+1))), -1, &b); !errors.Is(err, errBodyTooLarge) {
		t.Errorf("%d bytes: %v", len(b.bytes), err)
	}
}

// TestBodyOneByteAboveItsBuffer: the limit holds to the byte where a buffer is full just below it.
func TestBodyOneByteAboveItsBuffer(t *testing.T) {
	for size, want := range map[int]error{minBuffer + 1: nil, minBuffer + 2: errBodyTooLarge} {
		p := testBodies(minBuffer+1, 16<<20)
		var b pooledBody
		if err := p.read(t.Context(), bytes.NewReader(make([]byte, size)), -1, &b); !errors.Is(err, want) || err == nil && len(b.bytes) != size {
			t.Errorf("%d bytes of %d: %v", size, minBuffer+1, err)
		}
	}
}
