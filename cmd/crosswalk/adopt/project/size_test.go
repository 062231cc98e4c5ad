package project

import (
	"fmt"
	"testing"
)

// wasmSection returns a section of a module.
func wasmSection(id byte, content ...byte) []byte {
	return append([]byte{id, byte(len(content))}, content...)
}

func TestMeasurePortions(t *testing.T) {
	functions := []byte{2, 1, 15}
	functions = append(functions, "example.com_a.F"...)
	functions = append(functions, 2, 11)
	functions = append(functions, "type:.eq.T0"...)
	custom := append([]byte("\x04name"), wasmSection(1, functions...)...)
	module := []byte("\x00asm\x01\x00\x00\x00")
	module = append(module, wasmSection(sectionImport, 1, 0, 0, 0, 0)...) // one import: functions with code begin at 1
	module = append(module, wasmSection(sectionCode, 2, 3, 0, 0, 0, 2, 0, 0)...)
	module = append(module, wasmSection(sectionData, 1, 2, 3, 4, 5, 6)...)
	module = append(module, wasmSection(sectionCustom, custom...)...)
	packages := map[string]string{written("example.com/a"): "example.com/a"}
	got, err := measurePortions(module, packages)
	if want := fmt.Sprint([]Portion{{PartData, 6}, {"example.com/a", 3}, {PartMade, 2}}); err != nil || fmt.Sprint(got) != want {
		t.Errorf("got %v, %v, want %s", got, err, want)
	}
	for n := range module {
		_, _ = measurePortions(module[:n], packages) // must not panic
	}
	if _, err := measurePortions(module[:12], packages); err == nil {
		t.Error("a module that ends within a section is measured")
	}
}
