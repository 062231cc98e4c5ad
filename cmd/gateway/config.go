package main

import (
	"crypto/fips140"
	"io"
	"log/slog"
	"net"
	"os"
	goruntime "runtime"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/host/serve"
	"github.com/crosswalk-gateway/crosswalk/internal/buildinfo"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/codecache"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
)

// The options as the configurations of the packages.

func (o *options) registry(keys sums.Keys, code *codecache.Cache, logger *slog.Logger, registerer prometheus.Registerer, cpus *threads) runtime.Config {
	return runtime.Config{
		Owners: o.owners, First: o.required, Keys: keys, Logger: logger, Registerer: registerer, Vet: o.vet, Probation: o.probation, StartGrace: o.times.StartGrace, Poll: o.times.Poll,
		CompileCache: code, Served: servedFile(code), Quiet: o.times.Settle, MaxQuiet: 8 * o.times.Settle, Working: cpus.working,
		Limits: module.Limits{
			ModuleBytes:      int(o.maxModule),
			LoadedBytes:      int(o.maxLoaded),
			MemoryPages:      uint32(o.moduleMemory >> 16),
			ObjectReplyBytes: int(o.maxObject),
			CallTime:         o.callTimeout,
			VetMemory:        int(o.vetMemory),
			FuelPerObject:    o.fuelPerObject,
			FuelPerByte:      o.fuelPerByte,
			FuelToStart:      o.fuelToStart,
			Instances:        o.maxInstances,
			ReplyBytes:       int(o.maxReply),
		},
	}
}

func (o *options) limits() host.Limits {
	return host.Limits{Objects: maxObjects, ObjectBytes: int(o.maxObject), Depth: maxDepth, ReplyBytes: int(o.maxReply)}
}

func (o *options) server() serve.ServerConfig {
	none := func(d time.Duration) time.Duration { // serve takes 0 as its default and a negative value as none
		if d == 0 {
			return -1
		}
		return d
	}
	return serve.ServerConfig{
		MaxBodyBytes:         int64(o.maxBody),
		MaxBodyBytesInFlight: int64(o.maxBodiesInFlight),
		MaxConnections:       o.maxConnections,
		MaxInFlight:          maxInFlight(),
		MaxQueue:             maxQueue,
		QueueWait:            queueTimeout,
		ReviewTimeout:        o.reviewTimeout,
		StartGrace:           o.times.StartGrace,
		WriteTimeout:         max(40*time.Second, 10*time.Second+queueTimeout+o.reviewTimeout),
		DrainDelay:           none(o.drainDelay),
		ShutdownTimeout:      o.shutdownTimeout,
	}
}

// newLogger returns a logger that writes to w. Keys have one meaning everywhere: module is a file
// name, kind and group name the converted objects, uid is that of a review, and err is the error.
func newLogger(w io.Writer, o *options) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(o.logLevel)) // check has checked it
	if o.logFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: inSeconds}))
	}
	text := &slog.HandlerOptions{Level: level}
	if file, ok := w.(*os.File); ok && o.dev {
		if info, err := file.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			text.ReplaceAttr = forPerson
		}
	}
	return slog.New(slog.NewTextHandler(w, text))
}

// forPerson shortens lines for the author who looks at a terminal: a line has its time of day and the beginning of
// a digest.
func forPerson(_ []string, a slog.Attr) slog.Attr {
	switch {
	case a.Key == slog.TimeKey:
		return slog.String(a.Key, a.Value.Time().Format(time.TimeOnly))
	case a.Key == "audit":
		return slog.Attr{}
	case a.Key == "sha256" && a.Value.Kind() == slog.KindString:
		return slog.String(a.Key, a.Value.String()[:min(12, len(a.Value.String()))])
	}
	return a
}

// inSeconds writes durations in JSON as seconds, like the metrics and /modules; log/slog would
// write nanoseconds.
func inSeconds(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		return slog.Float64(a.Key, a.Value.Duration().Seconds())
	}
	return a
}

// summary returns the addresses and limits of this process, for its first log line.
func (o *options) summary(reviews, admin net.Listener) []any {
	adminAddress := "none"
	if admin != nil {
		adminAddress = admin.Addr().String()
	}
	all := []any{
		"listen", reviews.Addr().String(), "admin", adminAddress, "modules", strings.Join(o.modules, " "), "version", buildinfo.Read().Version,
		slog.Group("limits",
			"body", o.maxBody.String(), "bodies", o.maxBodiesInFlight.String(), "reply", o.maxReply.String(),
			"object", o.maxObject.String(), "review", o.reviewTimeout,
			"module", o.maxModule.String(), "memory", o.moduleMemory.String(), "call", o.callTimeout),
		"cpus", goruntime.GOMAXPROCS(0),
	}
	if fips140.Enabled() { // what an auditor looks for
		all = append(all, "fips140", fips140.Version())
	}
	return all
}
