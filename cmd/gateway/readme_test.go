package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestReadmeSaysTheLimits asserts that the first page has the defaults of the limits that it names.
func TestReadmeSaysTheLimits(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var o options
	o.groups() // sets the defaults
	want := fmt.Sprintf("at most %d MiB, %d MiB of memory, %.0f s for a call, and %d million instructions for an object",
		o.maxModule>>20, o.moduleMemory>>20, o.callTimeout.Seconds(), o.fuelPerObject/1_000_000)
	if !strings.Contains(strings.Join(strings.Fields(string(readme)), " "), want) {
		t.Errorf("README.md does not say %q", want)
	}
}
