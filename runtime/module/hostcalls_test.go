package module

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/runtime/wasi"
)

// TestHostCallsAreChargedX25 has guests call the host with the longest lists and buffers, until
// their fuel is used up, and counts the calls: the price of a call bounds their number.
func TestHostCallsAreChargedX25(t *testing.T) {
	l := testLoader(t, smallLimits)
	const fuel = 2*20_000_000 + 100*1000 // of a batch of one object of less than 100 bytes, by smallLimits
	for _, tc := range []struct {
		file  string
		price int // the least that a call costs
	}{
		{"x25_inert", wasi.CallFuel},
		{"x25_vectors", wasi.CallFuel},
		{"x25_path", wasi.CallFuel},
		{"x25_log", wasi.CallFuel},
		{"x25_poll", 2*wasi.CallFuel + 50*1024},
		{"x25_random", 63 << 20 / 4},
		{"x25_write", 1024 << 20 / 4},
	} {
		m := loadFixture(t, l, tc.file)
		in, fault := m.program.newInstance(context.Background())
		if fault != nil {
			t.Fatal(fault)
		}
		_, _, fault = in.batch(context.Background(), "g/v2", [][]byte{testObject})
		if fault == nil || fault.Kind != faults.Fuel {
			t.Errorf("%s: ended with %v, want its fuel to be used up", tc.file, fault)
		}
		calls, _ := in.memory.ReadUint32Le(8)
		if most := fuel/tc.price + 1; calls < 1 || int(calls) > most {
			t.Errorf("%s: made %d calls, want 1 to %d", tc.file, calls, most)
		}
		if used := in.call.total - in.call.remaining(); used > fuel+slice {
			t.Errorf("%s: used %d fuel of %d", tc.file, used, fuel)
		}
		in.close()
	}
}

// TestCancelDuringHostCallX25 gives a call up just before the guest has the host fill 63 MiB, with
// fuel for a thousand times as much. The host stops when the fuel that the guest had at hand is
// used up, which is one slice.
func TestCancelDuringHostCallX25(t *testing.T) {
	limits := smallLimits
	limits.FuelPerObject = 20_000_000_000
	ctx, giveUp := context.WithCancel(context.Background())
	l := testLoader(t, limits)
	l.logger = slog.New(slog.NewTextHandler(writerFunc(func(p []byte) (int, error) { giveUp(); return len(p), nil }), nil))
	m := loadFixture(t, l, "x25_deadline")
	in, fault := m.program.newInstance(context.Background())
	if fault != nil {
		t.Fatal(fault)
	}
	defer in.close()
	_, _, fault = in.batch(ctx, "g/v2", [][]byte{testObject})
	if fault == nil || fault.Kind != faults.Deadline || !fault.callers {
		t.Errorf("ended with %v, want the caller's deadline", fault)
	}
	filled, _ := in.memory.Read(1<<20, 63<<20)
	n := len(filled)
	for n > 0 && filled[n-1] == 0 {
		n--
	}
	if most := slice*4 + 64<<10; n > most { // by wasi's price list, and a chunk
		t.Errorf("the host filled %d bytes after the call was given up, want %d at most", n, most)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestLinesOfOutputAreCharged: a guest pays for each line, because each is a line of the log.
func TestLinesOfOutputAreCharged(t *testing.T) {
	m := loadFixture(t, testLoader(t, smallLimits), "good_echo")
	in, fault := m.pool.borrow(t.Context())
	if fault != nil {
		t.Fatal(fault)
	}
	defer m.pool.giveBack(in, false)
	in.call.begin(t.Context(), 1_000_000, time.Hour, 100)
	defer in.call.end()
	before := in.call.used()
	in.call.WriteStdio(in.guest, 1, []byte("a\nb\n"))
	if got := in.call.used() - before; got != 4*logByteFuel+2*logLineFuel {
		t.Errorf("two lines cost %d units of fuel", got)
	}
}

// BenchmarkHostCallFuel says how many nanoseconds a unit of fuel buys of each kind of host call.
// The prices of package wasi are right as long as these are not far above a nanosecond.
func BenchmarkHostCallFuel(b *testing.B) {
	l := testLoader(b, smallLimits)
	for _, file := range []string{"x01_spin", "x25_inert", "x25_vectors", "x25_path", "x25_log", "x25_poll", "x25_random", "x25_write"} {
		b.Run(file, func(b *testing.B) {
			m := loadFixture(b, l, file)
			var fuel int64
			for b.Loop() {
				in, fault := m.program.newInstance(context.Background())
				if fault != nil {
					b.Fatal(fault)
				}
				in.batch(context.Background(), "g/v2", [][]byte{testObject})
				fuel += in.call.total - in.call.remaining()
				in.close()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(fuel), "ns/fuel")
		})
	}
}
