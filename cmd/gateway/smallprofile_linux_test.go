package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// TestHostileModulesStayBelowSmallLimit runs the flags and the environment of
// deploy/base/deployment.yaml, which are the chart's default: while all hostile modules of testdata
// are vetted, load and convert objects of a megabyte for more clients than there are slots, the
// gateway and its children stay below the memory limit of the pod, and a good module converts.
func TestHostileModulesStayBelowSmallLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("vets and runs some seventy modules")
	}
	flags, limit := smallProfile(t)
	p := start(t, flags...)
	files, err := filepath.Glob("../../runtime/testdata/*.wasm")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d hostile modules: %v", len(files), err)
	}
	done := make(chan struct{})
	peak := make(chan int)
	go func() { peak <- p.peak(done) }() // ends with done
	copyTo(t, "testdata/one.wasm", filepath.Join(p.modules, "Widget.example.com_v1_v2.wasm"))
	var kinds []string
	for _, file := range files {
		kind := "K" + strings.ReplaceAll(strings.TrimSuffix(filepath.Base(file), ".wasm"), "_", "x")
		kinds = append(kinds, kind)
		copyTo(t, file, filepath.Join(p.modules, kind+".hostile.example.com_v1_v2.wasm"))
	}
	p.waitReady(t)
	fill := strings.Repeat("x", 1<<20)
	var clients sync.WaitGroup
	const many = 24 // more than the 16 slots
	for c := range many {
		clients.Go(func() { // ends after the kinds of its part
			for i := range len(kinds) / 6 {
				kind := kinds[(i*many+c)%len(kinds)]
				body := fmt.Sprintf(`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u-2","desiredAPIVersion":"hostile.example.com/v2",`+
					`"objects":[{"apiVersion":"hostile.example.com/v1","kind":%q,"metadata":{"name":"a"},"spec":{"fill":%q}}]}}`, kind, fill)
				if code, text, err := p.post(body); err != nil || code != http.StatusOK && code != http.StatusTooManyRequests && code != http.StatusServiceUnavailable {
					t.Errorf("%s: %d %.300s %v", kind, code, text, err)
				}
			}
		})
	}
	clients.Wait()
	eventually.Succeeds(t, "the good module", func() error { _, err := p.review(); return err }) // a queue may be full
	close(done)
	most := <-peak
	t.Logf("the gateway and its children had at most %d MiB of %d", most>>20, limit)
	if most == 0 || most > limit<<20 {
		t.Errorf("the gateway and its children had %d MiB of %d", most>>20, limit)
	}
}

// smallProfile sets the environment of deploy/base/deployment.yaml, and returns its flags and its
// memory limit in MiB.
func smallProfile(t *testing.T) (flags []string, limit int) {
	t.Helper()
	manifest, err := os.ReadFile("../../deploy/base/deployment.yaml")
	if err != nil {
		t.Fatal(err)
	}
	setting := func(pattern string) string {
		found := regexp.MustCompile(pattern).FindSubmatch(manifest)
		if found == nil {
			t.Fatalf("deployment.yaml has no %s", pattern)
		}
		return string(found[1])
	}
	limit, err = strconv.Atoi(setting(`(?m)^ +memory: (\d+)Mi\n +securityContext`))
	if err != nil || limit > 512 {
		t.Fatalf("a limit of %d MiB: %v", limit, err)
	}
	t.Setenv("GOMAXPROCS", setting(`GOMAXPROCS, value: "(\d+)"`))
	t.Setenv("GOMEMLIMIT", setting(`GOMEMLIMIT, value: (\w+)`))
	for _, flag := range regexp.MustCompile(`(?m)^ +- (--[a-z-]+-(?:bytes|instances|connections|flight)[a-z-]*=\w+)`).FindAllSubmatch(manifest, -1) {
		flags = append(flags, string(flag[1]))
	}
	if len(flags) < 10 {
		t.Fatalf("only the flags %q", flags)
	}
	return flags, limit
}

// TestSmallProfileHoldsModules: as many modules as the manifest says fit into --max-loaded-bytes of the
// default profile: modules in Go, of which one can be replaced, or modules in C.
func TestSmallProfileHoldsModules(t *testing.T) {
	if testing.Short() {
		t.Skip("vets and loads some seventy modules")
	}
	const claim = `two modules in Go and a new
            #                                version of one on probation, or seventy in C`
	manifest, err := os.ReadFile("../../deploy/base/deployment.yaml")
	if err != nil || !strings.Contains(string(manifest), claim) {
		t.Fatalf("deployment.yaml does not say how many modules fit: %v", err)
	}
	flags, _ := smallProfile(t)
	const group = ".stable.example.com_v1_v2.wasm"
	for _, tc := range []struct {
		language string
		modules  int
	}{{"go", 2}, {"c", 70}} {
		t.Run(tc.language, func(t *testing.T) {
			built := filepath.Join("../../bin/plugins", tc.language, "CronTab"+group)
			if _, err := os.Stat(built); err != nil {
				t.Skip("make plugins did not build it: ", err)
			}
			p := start(t, flags...)
			for i := range tc.modules {
				copyTo(t, built, filepath.Join(p.modules, fmt.Sprintf("K%d%s", i, group)))
			}
			eventually.Succeeds(t, "all modules to serve", func() error {
				_, text := p.get(t, "/modules")
				if n := strings.Count(text, `"state": "serving"`); n != tc.modules || strings.Contains(text, "lastError") {
					return fmt.Errorf("%d of %d serve: %.3000s", n, tc.modules, text)
				}
				return nil
			})
			if tc.language != "go" {
				return
			}
			module, err := os.ReadFile(built)
			if err != nil {
				t.Fatal(err)
			}
			next := filepath.Join(t.TempDir(), "next")
			if err := os.WriteFile(next, append(module, 0, 2, 1, 'x'), 0o644); err != nil { // a custom section
				t.Fatal(err)
			}
			copyTo(t, next, filepath.Join(p.modules, "K0"+group))
			eventually.Succeeds(t, "the new version to serve", func() error {
				if _, text := p.get(t, "/modules"); !strings.Contains(text, "probationUntil") || strings.Contains(text, "lastError") {
					return fmt.Errorf("it is not on probation: %.3000s", text)
				}
				return nil
			})
		})
	}
}

// peak returns the most memory that the gateway and its children had together until done is closed,
// in bytes: what counts in a pod's limit and cannot be read from a file again.
func (p *process) peak(done <-chan struct{}) (most int) {
	counted := regexp.MustCompile(`(?m)^Pss_(?:Anon|Shmem): +(\d+) kB`)
	for {
		select {
		case <-done:
			return most
		case <-time.After(20 * time.Millisecond):
		}
		sum := 0
		var children []byte
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", p.cmd.Process.Pid))
		for _, task := range tasks {
			more, _ := os.ReadFile(task)
			children = append(children, more...)
		}
		seen := map[string]bool{strconv.Itoa(p.cmd.Process.Pid): true}
		for _, child := range strings.Fields(string(children)) {
			seen[child] = true
		}
		for pid := range seen {
			text, _ := os.ReadFile("/proc/" + pid + "/smaps_rollup") // a child may have ended
			for _, m := range counted.FindAllSubmatch(text, -1) {
				n, _ := strconv.Atoi(string(m[1]))
				sum += n << 10
			}
		}
		most = max(most, sum)
	}
}
