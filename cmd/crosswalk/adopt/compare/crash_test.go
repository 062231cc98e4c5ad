package compare

import (
	"strings"
	"testing"
)

// TestCrash asserts that a trace of Go's runtime becomes a sentence with the operator's function.
func TestCrash(t *testing.T) {
	trace := "fatal error: runtime: out of memory\n\nruntime stack:\nruntime.throw({0xa0041c?, 0x22de?})\n\t/usr/local/go/src/runtime/panic.go:1229 +0x48 fp=0x7f\n" +
		"goroutine 24 gp=0xb7 m=0 [running]:\nruntime.makeslice(0x7f4?, 0x30?)\n\t/usr/local/go/src/runtime/slice.go:117 +0x49\n" +
		"sigs.k8s.io/kueue/apis/kueue/v1beta1.Convert_A_To_B(0xb7, {0x99bb80?, 0x1?})\n\t/root/go/pkg/mod/sigs.k8s.io/kueue@v0.15.0/apis/kueue/v1beta1/workload_conversion.go:93 +0x7b\n"
	const want = "runtime: out of memory, in v1beta1.Convert_A_To_B (sigs.k8s.io/kueue@v0.15.0/apis/kueue/v1beta1/workload_conversion.go:93)"
	if got := crash(trace); got != want || !outOfMemory(got) {
		t.Errorf("got %q", got)
	}
	if got := crash("--- FAIL: TestEqual\npanic: x\n"); got != "" {
		t.Errorf("got %q without a fatal error", got)
	}
}

// TestKilled asserts that the signal is found in go test's output, and that a long output keeps its end.
func TestKilled(t *testing.T) {
	out := strings.Repeat("object\n", 5000) + "signal: killed\nFAIL\tconverter\t12.3s\nFAIL"
	if got := killed(out); got != "killed" {
		t.Errorf("got %q", got)
	}
	if got := killed("--- FAIL: TestEqual\n    the text signal: killed\nFAIL"); got != "" {
		t.Errorf("got %q without a signal", got)
	}
	if got := shortened(out); len(got) > 9<<10 || !strings.HasPrefix(got, "object\n") || !strings.HasSuffix(got, "signal: killed\nFAIL\tconverter\t12.3s\nFAIL") {
		t.Errorf("%d bytes: %.20q … %q", len(got), got, got[len(got)-40:])
	}
	if got := shortened("short"); got != "short" {
		t.Errorf("got %q", got)
	}
}
