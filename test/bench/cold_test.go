package bench

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// event is something that a server's process does for a review, and is counted: a call of one of the
// functions, or of the kernel. A count depends on the machine far less than a time does.
type event struct {
	name      string
	functions []string // of the Go runtime, for a probe of the kernel
}

// eventsOf are the calls of the Go runtime that are counted.
func eventsOf() []event {
	return []event{
		{"allocations", []string{"runtime.mallocgc"}},
		{"goroutines", []string{"runtime.newproc1"}},
		{"switches", []string{"runtime.execute"}},
		{"timers set", []string{"runtime.(*timer).modify"}},
		{"timers stopped", []string{"runtime.(*timer).stop"}},
		{"deadlines", []string{"internal/poll.runtime_pollSetDeadline"}},
		{"threads woken", []string{"runtime.futexwakeup"}},
	}
}

// coldReviews are the reviews of one count: enough for a tenth of an event.
const coldReviews = 400

// BenchmarkCold prints what one review of 3.8 KB costs over TLS, one after the other, in counts: calls
// of the Go runtime by perf's probes, system calls by strace, and page faults. make bench-cold runs it.
func BenchmarkCold(b *testing.B) {
	var columns []map[string]float64
	rows := []string{}
	all := endpoints(b, func(name string) bool {
		return slices.Contains([]string{"echo", cachedName, "c", "rules", "go", "B1"}, name)
	})
	object := usual.object(b)
	for _, e := range all {
		counts, err := e.probe(object)
		if err != nil {
			b.Fatalf("%s: %v", e.name, err)
		}
		calls, err := e.systemCalls(object)
		if err != nil {
			b.Fatalf("%s: %v", e.name, err)
		}
		for name, n := range calls {
			if n >= 0.1 {
				counts["system call "+name] = n
			}
		}
		columns = append(columns, counts)
		for name := range counts {
			if !slices.Contains(rows, name) {
				rows = append(rows, name)
			}
		}
	}
	slices.Sort(rows)
	fmt.Printf("%-26s", "for one review")
	for _, e := range all {
		fmt.Printf("%10s", e.name)
	}
	for _, row := range rows {
		fmt.Printf("\n%-26s", row)
		for _, counts := range columns {
			fmt.Printf("%10.1f", counts[row])
		}
	}
	fmt.Println()
}

// TestColdCounts bounds the counts of a review in the gateway. A change that sets one timer or deadline more
// for each review, or starts a goroutine, fails here.
func TestColdCounts(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a gateway")
	}
	_, built := languages(t)
	if len(built) == 0 {
		t.Skip("no converters in bin/plugins: run make plugins")
	}
	language := built[0]
	if slices.Contains(built, "rules") {
		language = "rules"
	}
	e := endpoints(t, func(name string) bool { return name == language })[0]
	object := usual.object(t)
	e.send(t, object, coldReviews)
	fewest := map[string]float64{}
	tooMany := func(name string) bool { return fewest[name] > coldBudget()[name] }
	for range 10 { // the fewest count: the longer the reviews take, the more work falls among them that a gateway does every few seconds
		counts, err := e.probe(object)
		if errors.Is(err, errNoProbes) {
			t.Skip(err)
		} else if err != nil {
			t.Fatal(err)
		}
		for name, n := range counts {
			if least, ok := fewest[name]; !ok || n < least {
				fewest[name] = n
			}
		}
		if !slices.ContainsFunc(slices.Collect(maps.Keys(coldBudget())), tooMany) {
			break
		}
	}
	for name, n := range fewest {
		t.Logf("%.1f %s for one review", n, name)
	}
	for name, most := range coldBudget() {
		if n, ok := fewest[name]; !ok || n > most {
			t.Errorf("%.2f %s for one review, at most %.2f", n, name, most)
		}
	}
}

// coldBudget returns the most events of one review. net/http has two timers, for the wait for the next
// request and for the answer, and the gateway one for a conversion that does not end. How often a connection
// is read before there is something, and how many threads are woken, is the scheduler's, so it has no budget.
func coldBudget() map[string]float64 {
	return map[string]float64{
		"allocations": 70, "goroutines": 1.5, "timers set": 3.8, "timers stopped": 2.8, "deadlines": 3.8,
	}
}

// send converts an object some times.
func (e *endpoint) send(tb testing.TB, object *unstructured.Unstructured, times int) {
	tb.Helper()
	for range times {
		if _, err := e.judge.Convert(object, "v2"); err != nil {
			tb.Fatalf("%s: %v", e.name, err)
		}
	}
}

var errNoProbes = errors.New("perf cannot set probes here")

// probe counts the events and the page faults of one review.
func (e *endpoint) probe(object *unstructured.Unstructured) (map[string]float64, error) {
	program, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", e.pid))
	if err != nil {
		return nil, err
	}
	group := fmt.Sprintf("crosswalk%d", e.pid)
	defer func() { _ = exec.Command("perf", "probe", "-q", "-d", group+":*").Run() }()
	events := []string{"page-faults"}
	names := map[string]string{"page-faults": "page faults"}
	for i, of := range eventsOf() {
		for j, function := range of.functions {
			probe := fmt.Sprintf("e%d_%d", i, j)
			if out, err := exec.Command("perf", "probe", "-q", "-x", program, group+":"+probe+"="+function).CombinedOutput(); err != nil {
				return nil, fmt.Errorf("%w: %v %s", errNoProbes, err, bytes.TrimSpace(out))
			}
			events = append(events, group+":"+probe)
			names[group+":"+probe] = of.name
		}
	}
	text, err := e.observe(object, exec.Command("perf", "stat", "-x", ",", "-e", strings.Join(events, ","), "-p", strconv.Itoa(e.pid)))
	if err != nil {
		return nil, err
	}
	counts := map[string]float64{}
	for line := range strings.Lines(text) {
		if f := strings.Split(line, ","); len(f) > 2 && names[f[2]] != "" {
			n, err := strconv.ParseFloat(f[0], 64)
			if err != nil {
				return nil, fmt.Errorf("%w: %s", errNoProbes, line)
			}
			counts[names[f[2]]] += n / coldReviews
		}
	}
	return counts, nil
}

// systemCalls counts the system calls of one review, by name.
func (e *endpoint) systemCalls(object *unstructured.Unstructured) (map[string]float64, error) {
	out := filepath.Join(os.TempDir(), fmt.Sprintf("strace%d", e.pid))
	defer os.Remove(out)
	if _, err := e.observe(object, exec.Command("strace", "-c", "-f", "-o", out, "-p", strconv.Itoa(e.pid))); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	counts := map[string]float64{}
	for line := range strings.Lines(string(text)) { // % time, seconds, usecs/call, calls, errors if there are some, syscall
		if f := strings.Fields(line); len(f) >= 5 && f[len(f)-1] != "total" {
			if n, err := strconv.ParseFloat(f[3], 64); err == nil && !math.IsNaN(n) {
				counts[f[len(f)-1]] = n / coldReviews
			}
		}
	}
	return counts, nil
}

// observe sends reviews while a program that was told the process watches it, and returns what it wrote.
func (e *endpoint) observe(object *unstructured.Unstructured, watch *exec.Cmd) (string, error) {
	var text bytes.Buffer
	watch.Stderr = &text
	if err := watch.Start(); err != nil {
		return "", fmt.Errorf("%w: %w", errNoProbes, err)
	}
	time.Sleep(time.Second) // until it watches; requests before that make counts too small by one in a hundred
	for range coldReviews {
		if _, err := e.judge.Convert(object, "v2"); err != nil {
			_ = watch.Process.Kill()
			return "", err
		}
	}
	if err := watch.Process.Signal(syscall.SIGINT); err != nil {
		return "", err
	}
	_ = watch.Wait() // it ends by the signal
	return text.String(), nil
}
