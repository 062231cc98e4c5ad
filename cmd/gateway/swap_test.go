package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/kubelet"
)

// defaultSwaps is how often TestSwapsOfAVolume swaps without the variable SWAPS; "make swaps" takes
// 2,000.
const defaultSwaps = 300

// TestSwapsOfAVolume (W9) replaces the module of a running gateway many times, as a kubelet does,
// while clients convert over TLS. No review may fail, or be converted by an older module than the
// previous review. Each version must serve. In the end the process must hold as much memory, code
// and files as near the beginning.
func TestSwapsOfAVolume(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("takes twenty seconds, and reads /proc")
	}
	swaps := defaultSwaps
	if text := os.Getenv("SWAPS"); text != "" {
		var err error
		if swaps, err = strconv.Atoi(text); err != nil || swaps < 100 {
			t.Fatalf("SWAPS=%s must be at least 100", text)
		}
	}
	one, err := os.ReadFile("testdata/one.wasm")
	if err != nil {
		t.Fatal(err)
	}
	volume := &kubelet.Volume{Dir: t.TempDir()}
	var written atomic.Int64
	swap := func(n int) {
		t.Helper()
		files := map[string][]byte{"Widget.example.com_v1_v2.wasm": bytes.Replace(one, []byte("one"), []byte(generationName(n)), 1)}
		if n%2 == 1 { // keys come and go
			files["notes.txt"] = []byte(fmt.Sprint(n))
		}
		volume.LinksFirst = n%3 == 0
		written.Store(int64(n))
		if err := volume.Write(files); err != nil {
			t.Fatal(err)
		}
	}
	swap(0)
	setTimes(t, times{Settle: 5 * time.Millisecond})
	p := start(t, "--modules", volume.Dir, "--drain-delay", "0s")
	p.waitReady(t)

	var clients sync.WaitGroup
	var answered, newest atomic.Int64
	stop := make(chan struct{})
	for client := range 3 {
		clients.Go(func() { // ends when stop is closed, or with a wrong review
			last := int64(0)
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				n, err := p.generation(fmt.Sprintf("%d-%d", client, i))
				if err == nil && (n < last || n > written.Load()) {
					err = fmt.Errorf("generation %d answered after %d, when %d was written", n, last, written.Load())
				}
				if err != nil {
					t.Errorf("after %d reviews: %v", answered.Load(), err)
					return
				}
				last = n
				answered.Add(1)
				for known := newest.Load(); n > known && !newest.CompareAndSwap(known, n); known = newest.Load() {
				}
			}
		})
	}
	serves := func(n int) {
		t.Helper()
		eventually.True(t, fmt.Sprintf("generation %d to serve", n), func() bool { return newest.Load() >= int64(n) || t.Failed() })
		if t.Failed() {
			t.Fatalf("generation %d serves, not %d", newest.Load(), n)
		}
	}
	// Memory goes up and down with the garbage collector: the minimum of many samples is compared.
	var before, after held
	warm := swaps / 3
	for n := 1; n <= swaps; n++ {
		swap(n)
		serves(n)
		switch {
		case n > warm-20 && n <= warm:
			before.least(p.held(t))
		case n > swaps-20:
			after.least(p.held(t))
		}
	}
	eventually.Succeeds(t, "the garbage collector to unmap unused code", func() error {
		after.least(p.held(t))
		if after.exceeds(before) {
			return fmt.Errorf("the process leaks: %+v after %d swaps, %+v after %d", before, warm, after, swaps)
		}
		return nil
	})
	close(stop)
	clients.Wait()
	t.Logf("%d swaps, %d reviews; after %d swaps the process held %+v, and in the end %+v", swaps, answered.Load(), warm, before, after)
	if _, text := p.get(t, "/modules"); strings.Count(text, `"state"`) != 1 || strings.Contains(text, "lastError") {
		t.Errorf("/modules: %s", text)
	}
	if err := p.signal(t, syscall.SIGTERM); err != nil {
		t.Error(err)
	}
}

// generationName writes a number in three characters, the length of the name in one.wasm.
func generationName(n int) string {
	text := "00" + strconv.FormatInt(int64(n), 36)
	return text[len(text)-3:]
}

// generation converts an object of its own and returns the number of the module that converted it.
func (p *process) generation(name string) (int64, error) {
	code, text, err := p.post(`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u-1","desiredAPIVersion":"example.com/v2",` +
		`"objects":[{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"` + name + `","uid":"` + name + `"},"spec":{}}]}}`)
	if err != nil || code != 200 {
		return 0, fmt.Errorf("%d: %s, %v", code, text, err)
	}
	var answer struct {
		Response struct {
			ConvertedObjects []struct{ Spec struct{ Module string } }
		}
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil || len(answer.Response.ConvertedObjects) != 1 {
		return 0, fmt.Errorf("%s, %v", text, err)
	}
	return strconv.ParseInt(answer.Response.ConvertedObjects[0].Spec.Module, 36, 64)
}

// held has the resources of a process that might leak: bytes of memory, bytes of compiled code,
// open files. Code is counted in bytes because the kernel shows adjacent mappings as one.
type held struct{ memory, code, files int }

// exceeds reports whether h is more than the timing of the garbage collector explains. The number
// of mapped versions varies by a few (the serving one, the previous one, an unused one that is not
// yet collected); a leak would leave one for each swap.
func (h held) exceeds(earlier held) bool {
	const versions = 10
	return h.memory > earlier.memory+5<<20 || h.code > earlier.code*versions || h.files > earlier.files+versions
}

func (h *held) least(now held) {
	if *h == (held{}) {
		*h = now
		return
	}
	h.memory, h.code, h.files = min(h.memory, now.memory), min(h.code, now.code), min(h.files, now.files)
}

func (p *process) held(t *testing.T) held {
	t.Helper()
	of := fmt.Sprintf("/proc/%d/", p.cmd.Process.Pid)
	statm, err := os.ReadFile(of + "statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(statm))[1])
	if err != nil {
		t.Fatal(err)
	}
	maps, err := os.ReadFile(of + "maps")
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(of + "fd")
	if err != nil {
		t.Fatal(err)
	}
	code := 0
	for line := range strings.Lines(string(maps)) {
		if fields := strings.Fields(line); len(fields) == 5 && fields[1] == "r-xp" { // anonymous: a sixth field names a file
			var from, to int
			if _, err := fmt.Sscanf(fields[0], "%x-%x", &from, &to); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			code += to - from
		}
	}
	return held{pages * os.Getpagesize(), code, len(files)}
}
