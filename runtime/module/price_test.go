package module

import (
	"context"
	"encoding/binary"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
)

// TestInstanceIsChargedBeforeItIsMadeX30: an instance that is made for a batch is charged, before
// it is made, to the fuel of a start; for modules that get one for every batch, for commands, and
// for those whose instances wait in the pool.
func TestInstanceIsChargedBeforeItIsMadeX30(t *testing.T) {
	for _, tc := range []struct {
		file string
		each bool // each batch gets an instance of its own
	}{
		{"x13_state_table", true},
		{"command_good", true},
		{"good_echo", false},
	} {
		l := testLoader(t, smallLimits)
		convert := func(m *Module) error {
			_, _, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject})
			return err
		}
		m := loadFixture(t, l, tc.file)
		m.pool.expire(time.Now())
		m.program.price = smallLimits.FuelToStart - 1_000_000
		for call := range 2 {
			before := testutil.ToFloat64(m.counters.metrics.fuel)
			if err := convert(m); err != nil {
				t.Fatalf("%s, call %d: %v", tc.file, call, err)
			}
			paid := testutil.ToFloat64(m.counters.metrics.fuel)-before >= float64(m.program.price)
			if want := tc.each || call == 0; paid != want {
				t.Errorf("%s, call %d: the price of an instance was counted: %v, want %v", tc.file, call, paid, want)
			}
		}
		m.pool.expire(time.Now())
		m.program.price = smallLimits.FuelToStart + 1_000_000
		if m.command {
			m.program.price += smallLimits.FuelPerObject + 1_000_000 // unused fuel of the conversion is available to the start
		}
		wantFault(t, convert(m), faults.Fuel, "exceeded the fuel limit")
		if idle, working := m.pool.count(); idle+working != 0 {
			t.Errorf("%s: %d idle and %d working instances", tc.file, idle, working)
		}
	}
}

// withElements gives a module that has no table one of so many elements, all of them its first
// function.
func withElements(t *testing.T, wasm []byte, n int) []byte {
	t.Helper()
	section := func(out []byte, id byte, content []byte) []byte {
		return append(binary.AppendUvarint(append(out, id), uint64(len(content))), content...)
	}
	table := binary.AppendUvarint([]byte{1, 0x70, 0}, uint64(n))
	elements := binary.AppendUvarint([]byte{1, 0, 0x41, 0, 0x0b}, uint64(n))
	elements = append(elements, make([]byte, n)...)
	out := append([]byte(nil), wasm[:8]...)
	tables, segments := false, false
	for rest := wasm[8:]; len(rest) > 0; {
		id := rest[0]
		size, k := binary.Uvarint(rest[1:])
		if id == 4 || id == 9 {
			t.Fatal("the module has a table")
		}
		if id > 4 && id != 12 && !tables {
			out, tables = section(out, 4, table), true
		}
		if id > 9 && !segments {
			out, segments = section(out, 9, elements), true
		}
		end := 1 + k + int(size)
		out, rest = append(out, rest[:end]...), rest[end:]
	}
	return out
}

// TestElementsAreChargedX30: a module with as many elements as there may be is charged for them,
// and one with more is refused.
func TestElementsAreChargedX30(t *testing.T) {
	l := testLoader(t, smallLimits)
	file := fixture(t, "good_echo")
	plain := loadFixture(t, l, "good_echo")
	wasm := file.Content
	file.Content = withElements(t, wasm, 131_072)
	m, err := l.load(context.Background(), testName, file)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if more := m.program.price - plain.program.price; more < 10_000_000 {
		t.Errorf("131,072 elements cost %d units of fuel", more)
	}
	file.Content = withElements(t, wasm, 131_073)
	if _, err := l.load(context.Background(), testName, file); err == nil {
		t.Error("131,073 elements were accepted")
	}
}

// TestFailedStartReleasesMemoryX29: a command that fails in its start section leaves no memory
// behind, and neither does an instance that fails in _initialize.
func TestFailedStartReleasesMemoryX29(t *testing.T) {
	const tries, each = 20, 16 << 20 // memory that the guests write to
	limits := smallLimits
	limits.FuelToStart = limits.FuelToLoad
	l := testLoader(t, limits)
	for _, tc := range []struct {
		file, fault, message string
		fuel                 int64 // to start
	}{
		{"command_start", faults.Trap, "unreachable", limits.FuelToStart},
		{"x30_start", faults.Fuel, "exceeded the fuel limit of a start", 10_000_000},
	} {
		m := loadFixture(t, l, tc.file)
		m.program.limits.FuelToStart = tc.fuel
		before := residentBytes("/proc/self/statm")
		if before == 0 {
			t.Skip("no /proc: memory is not measured")
		}
		for range tries {
			_, _, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject})
			wantFault(t, err, tc.fault, tc.message)
		}
		if grown := residentBytes("/proc/self/statm") - before; grown > tries*each/2 {
			t.Errorf("%s: %d failed starts left %d MiB behind", tc.file, tries, grown>>20)
		}
	}
}
