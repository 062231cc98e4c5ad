package main

import (
	"reflect"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/host/serve"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// limitFlags gives each flag that is a limit a value of its own.
const limitFlags = "--modules /m --dev --max-module-bytes 1Mi --module-memory-bytes 2Mi --max-loaded-bytes 3Mi --vet-memory-bytes 64Mi" +
	" --max-body-bytes 5Mi --max-body-bytes-in-flight 60Mi --max-reply-bytes 7Mi --max-object-bytes 8Ki --fuel-per-object 9 --fuel-per-byte 10 --fuel-to-start 11" +
	" --max-instances 12 --max-connections 13 --call-timeout 14s --review-timeout 15s --drain-delay 16s --shutdown-timeout 17s --probation 18s"

// TestLimitsReachTheirPackages: the value of each flag, and each limit of limits.go, is in the field that it
// is for.
func TestLimitsReachTheirPackages(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(3)) // for MaxInFlight
	o, err := parseFlags(strings.Fields(limitFlags), times{19 * time.Second, 20 * time.Second, 21 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	r := o.registry(nil, nil, nil, nil, newThreads())
	if want := (module.Limits{
		ModuleBytes: 1 << 20, LoadedBytes: 3 << 20, MemoryPages: 32, ObjectReplyBytes: 8 << 10, CallTime: 14 * time.Second,
		VetMemory: 64 << 20, FuelPerObject: 9, FuelPerByte: 10, FuelToStart: 11, Instances: 12, ReplyBytes: 7 << 20,
	}); r.Limits != want {
		t.Errorf("limits of modules\n%+v\nwant\n%+v", r.Limits, want)
	}
	if got, want := [5]time.Duration{r.Probation, r.StartGrace, r.Quiet, r.MaxQuiet, r.Poll},
		[5]time.Duration{18 * time.Second, 19 * time.Second, 20 * time.Second, 160 * time.Second, 21 * time.Second}; got != want {
		t.Errorf("times of the registry %v, want %v", got, want)
	}
	if got, want := o.limits(), (host.Limits{Objects: 100_000, ObjectBytes: 8 << 10, Depth: 1000, ReplyBytes: 7 << 20}); got != want {
		t.Errorf("limits of a review %+v, want %+v", got, want)
	}
	if got, want := o.server(), (serve.ServerConfig{
		MaxBodyBytes: 5 << 20, MaxBodyBytesInFlight: 60 << 20, MaxConnections: 13, MaxInFlight: 24, MaxQueue: 200, QueueWait: time.Second,
		ReviewTimeout: 15 * time.Second, StartGrace: 19 * time.Second, WriteTimeout: 40 * time.Second, DrainDelay: 16 * time.Second, ShutdownTimeout: 17 * time.Second,
	}); !reflect.DeepEqual(got, want) {
		t.Errorf("the server's\n%+v\nwant\n%+v", got, want)
	}
}
