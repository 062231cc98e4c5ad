package module

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// How an instance is kept from carrying a part of its state from one batch to the next.
const (
	fixed    = "never changes after the instance was made"
	restored = "put back by the image"
	begun    = "set by begin, for every call"
	dropped  = "the instance is dropped after the batch"
	unused   = "empty: the engine fills it for modules, configurations or functions that the gateway does not use"
	deep     = "the native stack: kept while it is short (TestDeepStackIsDroppedX27)"
)

// stateOf lists everything that an instance consists of, field by field: in the engine, and around
// it. A field that is added, by a release of the engine too, fails TestInstanceStateIsListed until
// it is added to the table.
func stateOf(in *instance) []struct {
	of     any
	fields map[string]string
} {
	guest := reflect.ValueOf(in.guest).Elem()
	field := func(of reflect.Value, name string) any { return zeroOf(of.FieldByName(name).Type()) }
	return []struct {
		of     any
		fields map[string]string
	}{
		{zeroOf(guest.Type()), map[string]string{
			"WazeroOnlyType":   fixed,
			"ModuleName":       fixed,
			"Exports":          fixed,
			"Globals":          restored + ", or, with a reference or vector, " + dropped,
			"MemoryInstance":   restored,
			"Tables":           dropped + " if the module has an instruction that writes to tables",
			"Tags":             unused, // exceptions are refused
			"Engine":           fixed,
			"TypeIDs":          fixed,
			"DataInstances":    dropped + " if the module has a data.drop",
			"ElementInstances": dropped + " if the module has an elem.drop",
			"Sys":              unused, // wazero's file table, clocks and arguments: package wasi does not use them
			"Closed":           dropped,
			"CodeCloser":       unused,
			"s":                fixed,
			"prev":             fixed, // the engine's list of instances
			"next":             fixed,
			"Source":           fixed,
			"CloseNotifier":    unused,
		}},
		{field(guest, "MemoryInstance"), map[string]string{
			"WazeroOnlyType":    fixed,
			"Buffer":            restored,
			"Min":               fixed,
			"Cap":               fixed,
			"Max":               fixed,
			"Shared":            fixed,
			"definition":        fixed,
			"Mux":               unused, // threads are refused
			"waiters":           unused,
			"expBuffer":         fixed, // linearMemory
			"ownerModuleEngine": fixed,
		}},
		{reflect.ValueOf(in.convert.Function).Elem().Interface(), map[string]string{
			"WazeroOnly":             fixed,
			"stack":                  deep,
			"stackTop":               deep,
			"executable":             fixed,
			"preambleExecutable":     fixed,
			"parent":                 fixed,
			"indexInModule":          fixed,
			"sizeOfParamResultSlice": fixed,
			"requiredParams":         fixed,
			"execCtx":                "the engine's scratch for one call",
			"execCtxPtr":             fixed,
			"numberOfResults":        fixed,
			"stackIteratorImpl":      unused,
			"tryHandlers":            unused, // exceptions are refused
			"pendingException":       unused,
		}},
		{*in, map[string]string{
			"program":  fixed,
			"guest":    fixed,
			"memory":   fixed,
			"alloc":    deep,
			"convert":  deep,
			"globals":  fixed,
			"portable": fixed,
			"call":     begun,
			"used":     "the pool's",
			"args":     "set before each use",
			"price":    fixed,
		}},
		{in.convert, map[string]string{
			"Function": deep,
			"stack":    deep, // the engine's field
		}},
		{*in.call, map[string]string{
			"crowd":       fixed,
			"carrier":     fixed,
			"memory":      restored,
			"log":         fixed,
			"stdout":      begun,
			"stderr":      begun,
			"logLeft":     begun,
			"stdin":       unused, // by modules that stay instantiated
			"output":      unused,
			"lastError":   begun,
			"guestMemory": fixed,
			"starting":    begun,
			"ctx":         begun,
			"since":       begun,
			"deadline":    begun,
			"born":        fixed,
			"until":       begun,
			"limit":       begun,

			"fixedSources": begun,
			"tank":         "its fields are listed",
		}},
		{in.call.tank, map[string]string{
			"counter": fixed,
			"stack":   fixed,
			"left":    begun,
			"total":   begun,
		}},
		{in.call.stdout, map[string]string{
			"log":     fixed,
			"level":   fixed,
			"left":    fixed,
			"partial": begun,
			"last":    begun,
			"keep":    fixed,
			"report":  begun,
		}},
	}
}

func zeroOf(t reflect.Type) any {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return reflect.Zero(t).Interface()
}

// TestInstanceStateIsListed: every field of an instance is in the table above.
func TestInstanceStateIsListed(t *testing.T) {
	m := loadFixture(t, testLoader(t, smallLimits), "good_echo")
	in, fault := m.program.newInstance(context.Background())
	if fault != nil {
		t.Fatal(fault)
	}
	defer in.close()
	for _, part := range stateOf(in) {
		of := reflect.TypeOf(part.of)
		if strings.HasPrefix(of.String(), "interpreter.") {
			continue // where the engine has no compiler; its interpreter keeps no native stack
		}
		for i := range of.NumField() {
			name := of.Field(i).Name
			if part.fields[name] == "" {
				t.Errorf("%v.%s: say in this test how it is kept from carrying state from one batch to the next", of, name)
			}
			delete(part.fields, name)
		}
		for name := range part.fields {
			t.Errorf("%v.%s does not exist", of, name)
		}
	}
}

// TestInstanceStateOutsideMemory has guests try to remember something by each means there is. Two
// batches in one instance without a reset show that the means works, or that nothing is behind it.
// With the reset, or in a new instance, every batch is like the first.
func TestInstanceStateOutsideMemory(t *testing.T) {
	l := testLoader(t, smallLimits)
	for _, tc := range []struct {
		state     string
		file      string
		remembers bool // without a reset
		kept      bool // whether the instance serves again
	}{
		{"memory, its size, and globals", "x13_state", true, true},
		{"a global of 128 bits, and a reference to a function", "x13_state_vector", true, false},
		{"a reference from a table", "x13_state_reference", true, false},
		{"an element of a table, by table.set", "x13_state_table", true, false},
		{"an element of a table that is exported", "x13_state_table_exported", true, false},
		{"an element of a table, by table.fill", "x13_state_table_fill", true, false},
		{"an element of a table, by table.copy", "x13_state_table_copy", true, false},
		{"an element of a table, by table.init", "x13_state_table_init", true, false},
		{"a table that grew", "m04_table_grow", false, true},
		{"a dropped element segment", "x13_state_element", true, false},
		{"a dropped data segment", "x13_state_segment", true, false},
		{"file descriptors", "x13_state_files", false, true},
		{"the clock and the random source", "x15_world", false, true}, // begin sets them
		{"the share of the log", "x14_log", false, true},
		{"a line that was begun", "x14_stdout", false, true},
	} {
		t.Run(tc.file, func(t *testing.T) {
			m := loadFixture(t, l, tc.file)
			in, fault := m.program.newInstance(context.Background())
			if fault != nil {
				t.Fatal(fault)
			}
			defer in.close()
			batch := func() string {
				answers, _, fault := in.batch(context.Background(), "g/v2", [][]byte{testObject})
				if fault != nil {
					return fault.Error()
				}
				return string(answers[0])
			}
			first := batch()
			if second := batch(); (second != first) != tc.remembers {
				t.Errorf("%s: without a reset, the first batch is answered with %q and the second with %q", tc.state, first, second)
			}
			for range 3 {
				got, _, err := m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{testObject})
				if err != nil || string(got[0]) != first {
					t.Errorf("%s: answered %q, %v, want %q", tc.state, got, err, first)
				}
				if idle, working := m.pool.count(); (idle == 1) != tc.kept || working != 0 {
					t.Errorf("%s: %d idle instances and %d at work, want the instance kept: %v", tc.state, idle, working, tc.kept)
				}
			}
		})
	}
}

// TestBeginForgets compares a call after begin, of a guest that has used everything, with that of a
// guest that has not run.
func TestBeginForgets(t *testing.T) {
	m := loadFixture(t, testLoader(t, smallLimits), "good_echo")
	state := func(use bool) (state []string) {
		in, fault := m.program.newInstance(context.Background())
		if fault != nil {
			t.Fatal(fault)
		}
		defer in.close()
		c := in.call
		if use {
			c.begin(context.Background(), 2_000_000, time.Minute, 100)
			c.WriteStdio(in.guest, 1, []byte("half a line"))
			c.WriteStdio(in.guest, 2, []byte("panic: a report\nhalf a line"))
			c.noteError([]byte("an error"))
			c.Random(make([]byte, 9))
			c.Walltime()
			c.Charge(in.guest, 300)
			c.starting = true
		}
		c.begin(context.Background(), 1_000_000, time.Hour, 1<<10)
		skip := map[string]bool{ // times of the day, and addresses
			"carrier": true, "memory": true, "log": true, "guestMemory": true, "ctx": true, "born": true, "since": true, "deadline": true, "until": true, "tank": true,
		}
		of := reflect.ValueOf(*c)
		for i := range of.NumField() {
			switch name := of.Type().Field(i).Name; {
			case name == "stdout" || name == "stderr":
				w := of.Field(i)
				state = append(state, fmt.Sprintf("%s: %v %v %v", name, w.FieldByName("partial"), w.FieldByName("last"), w.FieldByName("report")))
			case !skip[name]:
				state = append(state, fmt.Sprintf("%s: %v", name, of.Field(i)))
			}
		}
		return append(state, fmt.Sprintf("fuel: %d of %d, %d of it left, stack %d, counter: %x", c.remaining(), c.total, c.left, c.stack, c.counter.Get()))
	}
	fresh, used := state(false), state(true)
	for i := range fresh {
		if fresh[i] != used[i] {
			t.Errorf("a new call has %s; one that was used has %s", fresh[i], used[i])
		}
	}
}
