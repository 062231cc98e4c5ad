package main

import (
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// TestCompileCache: a gateway that starts again loads its modules from the compile cache; a second
// gateway in parallel works without it.
func TestCompileCache(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("a compile cache needs Linux")
	}
	dir := filepath.Join(t.TempDir(), "cache")
	begin := func() *process {
		p := start(t, "--compile-cache", dir, "--drain-delay", "0s")
		p.waitReady(t)
		p.install(t, "one.wasm")
		p.reviewUntil(t, `{"module":"one"}, <nil>`)
		return p
	}
	expect := func(p *process, results string) {
		t.Helper()
		_, text := p.get(t, "/metrics")
		for _, want := range strings.Fields(results) {
			result, n, _ := strings.Cut(want, "=")
			if !strings.Contains(text, `crosswalk_compile_cache_loads_total{result="`+result+`"} `+n+"\n") {
				t.Errorf("not %s of %s", n, result)
			}
		}
	}
	p := begin()
	expect(p, "hit=0 miss=1 damaged=0")
	second := begin()
	if !strings.Contains(second.output.seen.String(), "another process uses the directory of --compile-cache; modules are compiled without it") {
		t.Errorf("the second gateway does not log that it has no cache:\n%s", second.output.seen.String())
	}
	if err := p.signal(t, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	expect(begin(), "hit=1 miss=0 damaged=0")
}
