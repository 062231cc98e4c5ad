package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/kubelet"
)

// defaultSwaps is how often TestSwapsOfAVolume swaps without the variable SWAPS; "make swaps" takes 2,000.
const defaultSwaps = 300

// TestSwapsOfAVolume (W9) replaces the module of a running gateway again and again, as a kubelet does, while clients convert over TLS. Not
// one review may fail or be answered by an older module than the one before it; each version must come to serve; and in the end the
// process holds what it held near the beginning.
func TestSwapsOfAVolume(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("takes twenty seconds, and reads what Linux says of a process")
	}
	swaps := defaultSwaps
	if text := os.Getenv("SWAPS"); text != "" {
		var err error
		if swaps, err = strconv.Atoi(text); err != nil || swaps < 100 {
			t.Fatalf("SWAPS=%s: name a number from 100 on", text)
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
	p := start(t, "--modules", volume.Dir, "--settle-time", "5ms", "--drain-delay", "0s")
	p.waitReady(t)

	var clients sync.WaitGroup
	var answered, newest atomic.Int64
	stop := make(chan struct{})
	for client := range 3 {
		clients.Go(func() { // ends when stop is closed, or with a review that is not as it must be
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
		for deadline := time.Now().Add(30 * time.Second); newest.Load() < int64(n); time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) || t.Failed() {
				t.Fatalf("generation %d does not serve; %d does", n, newest.Load())
			}
		}
	}
	// What the process holds goes up and down with the collector: the least of many looks is what it holds on to.
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
	for deadline := time.Now().Add(15 * time.Second); after.code > before.code || after.files > before.files; time.Sleep(50 * time.Millisecond) {
		after.least(p.held(t)) // code is unmapped when the collector finds that nobody uses it
		if time.Now().After(deadline) {
			break
		}
	}
	close(stop)
	clients.Wait()
	t.Logf("%d swaps, %d reviews; after %d swaps the process held %+v, and in the end %+v", swaps, answered.Load(), warm, before, after)
	if after.memory > before.memory+5<<20 || after.code > before.code || after.files > before.files {
		t.Errorf("the process holds more and more: %+v after %d swaps, %+v after %d", before, warm, after, swaps)
	}
	if _, text := p.get(t, "/modules"); strings.Count(text, `"state"`) != 1 || strings.Contains(text, "lastError") {
		t.Errorf("/modules: %s", text)
	}
	if err := p.signal(t, syscall.SIGTERM); err != nil {
		t.Error(err)
	}
}

// generationName is a number in three characters, as many as one.wasm has for a name.
func generationName(n int) string {
	text := "00" + strconv.FormatInt(int64(n), 36)
	return text[len(text)-3:]
}

// generation has an object of its own converted and returns the number of the module that did it.
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

// held is what a process has of what might leak: bytes of memory, segments of compiled code, open files.
type held struct{ memory, code, files int }

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
	code := slices.DeleteFunc(strings.Split(string(maps), "\n"), func(line string) bool {
		return !strings.Contains(line, "r-xp") || len(strings.Fields(line)) > 5 // of a file
	})
	return held{pages * os.Getpagesize(), len(code), len(files)}
}
