package module

import (
	"context"
	"testing"
)

// TestDeepStackIsDroppedX27: an instance that recursed deep, and answered, serves again without the
// stack that it took.
func TestDeepStackIsDroppedX27(t *testing.T) {
	m := loadFixture(t, testLoader(t, smallLimits), "x27_deep")
	var first *instance
	for call := range 3 {
		in, fault := m.pool.borrow(context.Background())
		if fault != nil {
			t.Fatal(fault)
		}
		if first == nil {
			first = in
		}
		if in != first {
			t.Errorf("call %d: another instance", call)
		}
		if a, c := in.alloc.stackBytes(), in.convert.stackBytes(); a > keepStack || c > keepStack {
			t.Errorf("call %d: stacks of %d and %d bytes were kept; %d are allowed", call, a, c, keepStack)
		}
		converted, _, fault := in.batch(context.Background(), "g/v2", [][]byte{testObject})
		if fault != nil || string(converted[0]) != "{}" {
			t.Fatalf("call %d: %q, %v", call, converted, fault)
		}
		if a, c := in.alloc.stackBytes(), in.convert.stackBytes(); a < 2<<20 || a > 200<<20 || c < 2<<20 || c > 200<<20 {
			t.Errorf("call %d: stacks of %d and %d bytes: the guest went deeper, or the engine keeps them elsewhere", call, a, c)
		}
		m.pool.giveBack(in, true)
	}
}

// TestShallowStackIsKept: an instance that did not go deep keeps its functions, and with them
// stacks that are warm.
func TestShallowStackIsKept(t *testing.T) {
	m := loadFixture(t, testLoader(t, smallLimits), "good_echo")
	in, fault := m.pool.borrow(context.Background())
	if fault != nil {
		t.Fatal(fault)
	}
	before := in.convert.Function
	if _, _, fault := in.batch(context.Background(), "g/v2", [][]byte{testObject}); fault != nil {
		t.Fatal(fault)
	}
	m.pool.giveBack(in, true)
	if in.convert.Function != before {
		t.Error("the function was replaced")
	}
	if n := in.convert.stackBytes(); n == 0 || n > keepStack {
		t.Errorf("a stack of %d bytes", n)
	}
}

func BenchmarkNativeStack(b *testing.B) {
	m := loadFixture(b, testLoader(b, smallLimits), "good_echo")
	in, fault := m.pool.borrow(context.Background())
	if fault != nil {
		b.Fatal(fault)
	}
	defer m.pool.giveBack(in, true)
	for b.Loop() {
		in.dropStacks()
	}
}
