package load

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"

	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// beside is a sidecar of the module that testName names.
func beside(text string) *watch.File {
	return &watch.File{Name: "K.g_v1_v2.yaml", Content: []byte(text), Sum: sha256.Sum256([]byte(text))}
}

func TestPin(t *testing.T) {
	l := testLoader(t, smallLimits)
	file := fixture(t, "good_echo")
	sum := hex.EncodeToString(file.Sum[:])
	m, err := l.Load(context.Background(), testName, file, beside("sha256: "+sum+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	m.Close()

	// A file with another digest than the pin is not read.
	file = fixture(t, "m15_no_convert")
	_, err = l.Load(context.Background(), testName, file, beside("sha256: "+sum+"\n"))
	want := "K.g_v1_v2.yaml pins sha256 " + sum[:12] + ", and m15_no_convert has " + hex.EncodeToString(file.Sum[:6]) +
		": put the module in place that is pinned, or pin this one if it is the one you mean"
	if err == nil || err.Error() != want {
		t.Errorf("error\n %v\nwant\n %s", err, want)
	}
}

func TestSidecarLimits(t *testing.T) {
	limits := smallLimits
	limits.MemoryPages, limits.CallTime = 32, time.Second
	l := testLoader(t, limits)
	for _, tc := range []struct{ name, in, want string }{
		{"fuel", "fuelPerObject: 20000001", "K.g_v1_v2.yaml: limits.fuelPerObject 20000001 is more than the gateway's 20000000: lower it, or have --fuel-per-object raised"},
		{"memory", "memory: 3Mi", "K.g_v1_v2.yaml: limits.memory of 3145728 bytes is more than the gateway's 2097152: lower it, or have --module-memory-bytes raised"},
		{"time", "callTimeout: 2s", "K.g_v1_v2.yaml: limits.callTimeout 2s is more than the gateway's 1s: lower it, or have --call-timeout raised"},
		{"as high as may be", "fuelPerObject: 20000000, memory: 2Mi, callTimeout: 1s", ""},
		{"low", "fuelPerObject: 1000, memory: 64Ki, callTimeout: 100ms", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m, err := l.Load(context.Background(), testName, fixture(t, "good_refuse"), beside("limits: {"+tc.in+"}\n"))
			if err == nil {
				m.Close()
			}
			if fmt.Sprint(err) != tc.want && (err != nil || tc.want != "") {
				t.Errorf("error\n %v\nwant\n %s", err, tc.want)
			}
		})
	}
}

// TestSidecarLimitsHold has modules reach limits that only their sidecars set.
func TestSidecarLimitsHold(t *testing.T) {
	l := testLoader(t, module.Limits{FuelPerObject: 1 << 50, ModuleInstances: 2})
	for _, tc := range []struct{ file, limits, fault, message string }{
		{"x01_spin", "fuelPerObject: 3000000", faults.Fuel, "(6 million units"},
		{"x02_fib", "callTimeout: 50ms", faults.Deadline, "(50ms)"},
		{"good_echo", "memory: 64Ki", faults.Memory, "an instance may have 0 MiB"},
	} {
		t.Run(tc.file, func(t *testing.T) {
			m, err := l.Load(context.Background(), testName, fixture(t, tc.file), beside("limits: {"+tc.limits+"}\n"))
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			object := []byte(`{"pad":"` + strings.Repeat("x", 100_000) + `"}`)
			if tc.fault != faults.Memory {
				object = testObject
			}
			_, _, err = m.Convert(context.Background(), "g/v1", "g/v2", [][]byte{object})
			wantFault(t, err, tc.fault, tc.message)
		})
	}
}
