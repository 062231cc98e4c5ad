//go:build linux && (amd64 || arm64 || riscv64 || loong64)

package module

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"runtime/debug"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/meter"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// exampleConverters calls a function with the CronTab converter of every language that has been
// built.
func exampleConverters(b *testing.B, bench func(b *testing.B, name artifact.Name, file watch.File)) {
	const file = "CronTab.stable.example.com_v1_v2.wasm"
	built, _ := filepath.Glob("../../bin/plugins/*/" + file)
	if len(built) == 0 {
		b.Skip("no converters: run make plugins")
	}
	name, err := artifact.ParseName(file)
	if err != nil {
		b.Fatal(err)
	}
	for _, path := range built {
		content, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("language="+filepath.Base(filepath.Dir(path)), func(b *testing.B) {
			bench(b, name, watch.File{Name: file, Content: content, Sum: sha256.Sum256(content)})
		})
	}
}

// BenchmarkLoad measures the user and system time of loading a module, in ms, by its parts:
// scan and rewrite; compiling; the first instance, which runs _initialize. A further one comes
// from the image, in µs. Medians.
func BenchmarkLoad(b *testing.B) {
	exampleConverters(b, func(b *testing.B, name artifact.Name, file watch.File) {
		ctx := context.Background()
		l := testLoader(b, Limits{})
		m, err := l.load(ctx, name, file)
		if err != nil {
			b.Fatal(err)
		}
		defer m.Close()
		var rewrite, compile, first, further []time.Duration
		for b.Loop() {
			var r *meter.Rewritten
			rewrite = append(rewrite, cpuOf(b, func() (err error) {
				r, err = meter.Rewrite(file.Content, meter.Limits{ModuleBytes: l.limits.ModuleBytes, MemoryPages: l.limits.MemoryPages}, meter.Options{MemoryPages: l.limits.MemoryPages})
				return err
			}))
			compile = append(compile, cpuOf(b, func() error {
				p, err := Compile(ctx, r, CompileConfig{Limits: l.limits})
				if err == nil {
					p.Close()
				}
				return err
			}))
			if m.command {
				continue // it starts anew for every batch
			}
			const several = 5
			instances := func() error {
				for range several {
					in, fault := m.program.newInstance(ctx)
					if fault != nil {
						return fault
					}
					in.close()
				}
				return nil
			}
			further = append(further, cpuOf(b, instances)/several)
			image := m.program.image
			m.program.image = nil
			first = append(first, cpuOf(b, instances)/several)
			m.program.image = image
		}
		b.ReportMetric(0, "ns/op") // of all that together, several times over
		for _, of := range []struct {
			unit  string
			times []time.Duration
			in    time.Duration
		}{{"rewrite-ms", rewrite, time.Millisecond}, {"compile-ms", compile, time.Millisecond},
			{"first-ms", first, time.Millisecond}, {"further-µs", further, time.Microsecond}} {
			if slices.Sort(of.times); len(of.times) > 0 {
				b.ReportMetric(float64(of.times[len(of.times)/2])/float64(of.in), of.unit)
			}
		}
	})
}

// cpuOf is the user and system time that this process and its children that have ended use for
// something.
func cpuOf(b *testing.B, f func() error) time.Duration {
	used := func() (sum time.Duration) {
		for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
			var u syscall.Rusage
			if err := syscall.Getrusage(who, &u); err != nil {
				b.Fatal(err)
			}
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
		return sum
	}
	before := used()
	if err := f(); err != nil {
		b.Fatal(err)
	}
	return used() - before
}

// BenchmarkFootprint measures the resident memory of a module and its instances, in KiB: a loaded
// module with its compiled code and its image, of which there is one for all instances; and an
// instance that has converted an object, was put back, and waits for the next.
func BenchmarkFootprint(b *testing.B) {
	if residentBytes("/proc/self/statm") == 0 {
		b.Skip("no /proc: memory is not measured")
	}
	exampleConverters(b, func(b *testing.B, name artifact.Name, file watch.File) {
		var module, image, instance int
		for b.Loop() {
			module, image, instance = footprint(b, name, file)
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(float64(module)/1024, "module-KiB")
		b.ReportMetric(float64(image)/1024, "image-KiB")
		if instance > 0 {
			b.ReportMetric(float64(instance)/1024, "instance-KiB")
		}
	})
}

func footprint(b *testing.B, name artifact.Name, file watch.File) (module, image, instance int) {
	const modules, instances = 6, 16
	l := testLoader(b, Limits{ModuleInstances: instances, Instances: 4 * instances})
	load := func() *Module {
		m, err := l.load(context.Background(), name, file)
		if err != nil {
			b.Fatal(err)
		}
		m.pool.expire(time.Now()) // the instance that was tried
		return m
	}
	load().Close() // one-time allocations are done
	held := make([]*Module, modules)
	before := settled()
	for i := range held {
		held[i] = load()
	}
	module = (settled() - before) / modules
	if im := held[0].program.image; im != nil {
		image = im.Bytes()
	}
	for _, m := range held[1:] {
		m.Close()
	}
	m := held[0]
	defer m.Close()
	if m.command {
		return module, image, 0 // there are no instances that wait
	}
	object := fmt.Appendf(nil, `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a"},"spec":{"cronSpec":"30 2 * * 1-5","image":"%01000d"}}`, 1)
	before = settled()
	for range instances {
		in, fault := m.program.newInstance(context.Background())
		if fault != nil {
			b.Fatal(fault)
		}
		defer in.close()
		if _, _, fault := in.batch(context.Background(), "stable.example.com/v2", [][]byte{object}); fault != nil {
			b.Fatal(fault)
		}
		if !in.reset() {
			b.Fatal("an instance cannot be put back")
		}
	}
	return module, image, (settled() - before) / instances
}

// settled is the resident memory of the process after a garbage collection, in bytes.
func settled() int {
	goruntime.GC()
	debug.FreeOSMemory()
	return residentBytes("/proc/self/statm")
}
