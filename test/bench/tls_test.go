package bench

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crosswalk-gateway/crosswalk/test/internal/artifacts"
	"github.com/crosswalk-gateway/crosswalk/test/internal/certs"
	"github.com/crosswalk-gateway/crosswalk/test/internal/gateway"
	"github.com/crosswalk-gateway/crosswalk/test/internal/judge"
)

// endpoint is a server in a process of its own and an API server's client for it, with one
// connection that is kept.
type endpoint struct {
	name      string
	judge     *judge.Judge
	pid       int
	address   string // host:port
	authority []byte // of its certificate, PEM
}

// endpoints starts the servers that are wanted of B1, B2, the echo, the gateway with each
// language's converter, and one that keeps answers.
func endpoints(tb testing.TB, wanted func(name string) bool) []endpoint {
	tb.Helper()
	authority, err := certs.NewAuthority()
	if err != nil {
		tb.Fatal(err)
	}
	var all []endpoint
	add := func(name, address string, pid int) {
		j, err := judge.New(judge.Config{Group: group, Kind: kind, Versions: []string{"v1", "v2"}, Address: address, CA: authority.PEM})
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, endpoint{name, j, pid, address, authority.PEM})
	}
	unwanted := func(name string) bool { return !wanted(name) }
	native := buildWebhook(tb)
	for _, name := range slices.DeleteFunc([]string{"B1", "B2", "echo"}, unwanted) {
		w := startWebhook(tb, native, name, authority)
		tb.Cleanup(func() { w.stop(tb) })
		add(name, w.address, w.command.Process.Pid)
	}
	dir, built := languages(tb)
	if len(built) == 0 {
		return all
	}
	binary, err := artifacts.Gateway(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	for _, language := range slices.DeleteFunc(append(slices.Clone(built), cachedName), unwanted) {
		modules, flags := filepath.Join(dir, language), []string{"--cache-bytes", "0"} // one object is converted again and again
		if language == cachedName {
			modules, flags = filepath.Join(dir, built[0]), nil
		}
		process, err := gateway.Start(gateway.Config{
			Binary: binary, Modules: modules, Authority: authority, Names: []string{judge.ServiceHost}, Flags: flags,
		})
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() {
			if err := process.Stop(); err != nil {
				tb.Errorf("the gateway with the modules of %s: %v", language, err)
			}
			process.Remove()
		})
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute) // a busy machine vets modules slowly
		err = process.WaitReady(ctx)
		cancel()
		if err != nil {
			tb.Fatal(err)
		}
		add(language, process.Reviews, process.Pid())
	}
	return all
}

// A webhook that the user names, which BenchmarkTLS measures beside the others. It runs on this machine and
// converts CronTabs as they do.
var (
	peerURL = flag.String("peer", "", "URL of another webhook for BenchmarkTLS, such as https://127.0.0.1:8443/convert")
	peerCA  = flag.String("peer-ca", "", "file with the certificate authority of -peer")
	peerPid = flag.Int("peer-pid", 0, "process of -peer, whose CPU time is measured")
)

// peer returns the webhook that the flags name, if they do.
func peer(b *testing.B) []endpoint {
	b.Helper()
	if *peerURL == "" {
		return nil
	}
	authority, err := os.ReadFile(*peerCA)
	if err != nil {
		b.Fatalf("-peer-ca: %v", err)
	}
	if _, err := cpuOf(*peerPid); err != nil {
		b.Fatalf("-peer-pid: %v", err)
	}
	j, err := judge.New(judge.Config{Group: group, Kind: kind, Versions: []string{"v1", "v2"}, URL: *peerURL, CA: authority})
	if err != nil {
		b.Fatal(err)
	}
	return []endpoint{{name: "peer", judge: j, pid: *peerPid}}
}

// everything wants all servers.
func everything(string) bool { return true }

// object is one to convert, as the API server has it.
func (s objectSize) object(tb testing.TB) *unstructured.Unstructured {
	tb.Helper()
	text, err := json.Marshal(s.make(0))
	if err != nil {
		tb.Fatal(err)
	}
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(text); err != nil {
		tb.Fatal(err)
	}
	return object
}

// concur fails unless all servers convert the object to equal objects, after the API server's
// checks and corrections.
func concur(tb testing.TB, all []endpoint, object *unstructured.Unstructured) {
	tb.Helper()
	var want *unstructured.Unstructured
	for i, e := range all {
		got, err := e.judge.Convert(object, "v2")
		switch {
		case err != nil:
			tb.Fatalf("%s: %v", e.name, err)
		case i == 0:
			want = got
		case !reflect.DeepEqual(got.Object, want.Object):
			tb.Fatalf("%s answered\n%s\nand %s\n%s", e.name, text(got.Object), all[0].name, text(want.Object))
		}
	}
}

// TestServers asserts the premises of BenchmarkTLS and BenchmarkList: servers in separate processes
// that do the same work, also for an API server, and whose times can be read.
func TestServers(t *testing.T) {
	if testing.Short() {
		t.Skip("starts five processes")
	}
	all := endpoints(t, everything)
	for _, size := range []objectSize{small, usual} {
		concur(t, all, size.object(t))
	}
	for _, e := range all {
		if _, err := cpuOf(e.pid); err != nil && goruntime.GOOS == "linux" {
			t.Errorf("%s: %v", e.name, err)
		}
		if size, err := residentOf(e.pid); (err != nil || size < 1<<20) && goruntime.GOOS == "linux" {
			t.Errorf("%s: %d bytes resident, %v", e.name, size, err)
		}
	}
	newList(t, small, 20, all[0]).agree(t, all)
}

// requests in a turn of a server: some hundred milliseconds of its CPU, which the kernel counts in
// ticks of 10.
const requests = 1500

// BenchmarkTLS converts one object at a time with the API server's own client over TLS, one request
// after the other, as API servers send them. The servers take turns and report:
//
//	server-µs/request   user and system time of the server's process, by the kernel's ticks
//	wall-µs/request     from the object to the object, with the client's own work, which is most of it
//	x-B1, x-B1-wall     B1's time divided by this one
//	x-echo              the server time against that of a server that converts nothing
//	x-echo-wall         the same of the time from object to object
//	x-echo-wall-of-32   the same of the time that 32 clients at once need for all requests
func BenchmarkTLS(b *testing.B) {
	if goruntime.GOOS != "linux" {
		b.Skip("reads the time of other processes from /proc")
	}
	all := append(endpoints(b, everything), peer(b)...)
	for _, size := range []objectSize{small, usual} {
		var done bool
		cpu, wall, together := make([]float64, len(all)), make([]float64, len(all)), make([]float64, len(all)) // µs a request
		b.Run("object="+size.name, func(b *testing.B) {
			if !done { // the harness may call again
				done = true
				object := size.object(b)
				concur(b, all, object)
				ask(b, all, object, cpu, wall)
				askTogether(b, all, object, together)
			}
			for i, e := range all {
				b.Run("server="+e.name, func(b *testing.B) {
					b.ReportMetric(0, "ns/op")
					b.ReportMetric(cpu[i], "server-µs/request")
					b.ReportMetric(wall[i], "wall-µs/request")
					b.ReportMetric(cpu[0]/cpu[i], "x-B1")
					b.ReportMetric(wall[0]/wall[i], "x-B1-wall")
					b.ReportMetric(cpu[i]/cpu[2], "x-echo")
					b.ReportMetric(wall[i]/wall[2], "x-echo-wall")
					b.ReportMetric(together[i]/together[2], "x-echo-wall-of-32")
				})
			}
		})
	}
}

// ask lets the servers take turns. The server's time is the sum over all turns, for ticks are
// coarse; the client's is the median.
func ask(b *testing.B, all []endpoint, object *unstructured.Unstructured, cpu, wall []float64) {
	b.Helper()
	walls := make([][]time.Duration, len(all))
	used := make([]time.Duration, len(all))
	for range *rounds {
		for i, e := range all {
			before, err := cpuOf(e.pid)
			if err != nil {
				b.Fatal(err)
			}
			for range requests {
				began := time.Now()
				if _, err := e.judge.Convert(object, "v2"); err != nil {
					b.Fatalf("%s: %v", e.name, err)
				}
				walls[i] = append(walls[i], time.Since(began))
			}
			after, err := cpuOf(e.pid)
			if err != nil {
				b.Fatal(err)
			}
			used[i] += after - before
		}
	}
	for i := range all {
		cpu[i] = float64(used[i]) / 1e3 / float64(len(walls[i]))
		wall[i] = median(walls[i], func(d time.Duration) float64 { return float64(d) / 1e3 })
	}
}

// askTogether lets the servers take turns with 32 clients. The result is the median of the turns, for
// each of which wall time is divided by the requests.
func askTogether(b *testing.B, all []endpoint, object *unstructured.Unstructured, together []float64) {
	b.Helper()
	const clients = 32
	turns := make([][]time.Duration, len(all))
	for range *rounds {
		for i, e := range all {
			var left atomic.Int64
			left.Store(requests)
			began := time.Now()
			var group errgroup.Group
			for range clients {
				group.Go(func() error { // ends with the requests
					for left.Add(-1) >= 0 {
						if _, err := e.judge.Convert(object, "v2"); err != nil {
							return fmt.Errorf("%s: %w", e.name, err)
						}
					}
					return nil
				})
			}
			if err := group.Wait(); err != nil {
				b.Fatal(err)
			}
			turns[i] = append(turns[i], time.Since(began)/requests)
		}
	}
	for i := range all {
		together[i] = median(turns[i], func(d time.Duration) float64 { return float64(d) / 1e3 })
	}
}

// tick is the unit of the times in /proc: 1/100 s on every Linux that Go runs on.
const tick = 10 * time.Millisecond

// cpuOf returns the user and system time that a process has used, and those of its children that
// ended: a gateway tests modules in one.
func cpuOf(pid int) (time.Duration, error) {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The second field, the command's name in parentheses, may hold anything; utime, stime,
	// cutime and cstime are the 14th to 17th.
	_, rest, ok := strings.Cut(string(content[strings.LastIndexByte(string(content), ')')+1:]), " ")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 15 {
		return 0, fmt.Errorf("/proc/%d/stat is not as proc(5) says: %q", pid, content)
	}
	var ticks int64
	for _, field := range fields[11:15] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("/proc/%d/stat is not as proc(5) says: %w", pid, err)
		}
		ticks += n
	}
	return time.Duration(ticks) * tick, nil
}
