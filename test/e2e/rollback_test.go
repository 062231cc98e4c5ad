package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/test/internal/gateway"
	"github.com/crosswalk-gateway/crosswalk/test/internal/review"
)

// TestGatewayRollback swaps the binaries of two revisions to and fro over one module directory and
// one compile cache: $CROSSWALK_PREVIOUS names the earlier one (make test-rollback). Both serve every
// module, also modules that the other one loaded first, and neither spoils the other's cache.
func TestGatewayRollback(t *testing.T) {
	previous := os.Getenv("CROSSWALK_PREVIOUS")
	if previous == "" {
		t.Skip("make test-rollback runs it, with a binary of an earlier revision")
	}
	plugins, err := shared.plugins()
	if err != nil {
		t.Fatal(err)
	}
	read := func(language, base string) map[string][]byte {
		files := map[string][]byte{}
		for _, ending := range []string{".wasm", ".yaml"} {
			content, err := plugins.Module(language, base+ending)
			if err != nil {
				t.Skipf("it needs the example converters in %s", language)
			}
			files[base+ending] = content
		}
		return files
	}
	const crontab, database = "CronTab.stable.example.com_v1_v2", "Database.db.example.com_v1beta1_v1"
	dir, cache := modules(t, read("go", crontab)), filepath.Join(t.TempDir(), "cache")
	loads := func(p *gateway.Process, result string) float64 {
		return metric(t, p, "crosswalk_compile_cache_loads_total", fmt.Sprintf("result=%q", result))
	}
	run := func(binary string, add map[string][]byte, serving int) (hits, misses float64) {
		t.Helper()
		p, err := gateway.Start(gateway.Config{Binary: binary, Modules: dir, Authority: shared.authority, Flags: []string{"--compile-cache", cache}})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Remove()
		ready(t, p)
		for name, content := range add {
			if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(name, ".wasm") {
				if _, err := p.WaitModule(deadline(t), name, func(m gateway.Module) bool { return m.State == "serving" }); err != nil {
					t.Fatal(err)
				}
			}
		}
		list, err := p.Modules(deadline(t))
		if err != nil {
			t.Fatal(err)
		}
		if len(list) != serving || slices.ContainsFunc(list, func(m gateway.Module) bool { return m.State != "serving" || m.LastError != "" }) {
			t.Errorf("%s: %+v", binary, list)
		}
		client, err := p.Client()
		if err != nil {
			t.Fatal(err)
		}
		answer, err := review.New("v1", "stable.example.com/v2",
			`{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a"},"spec":{"cronSpec":"30 2 * * 1-5","image":"i"}}`).Send(client, p.URL())
		if err != nil || answer.Result.Status != "Success" || !strings.Contains(string(answer.ConvertedObjects[0]), `"hour":"2"`) {
			t.Errorf("%s: %+v, %v", binary, answer, err)
		}
		if strings.Contains(string(p.Log()), `"level":"ERROR"`) {
			t.Errorf("%s: %s", binary, p.Log())
		}
		hits, misses = loads(p, "hit"), loads(p, "miss")
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
		return hits, misses
	}
	run(previous, nil, 1)
	run(shared.binary, read("rust", database), 2) // a module that the earlier revision has not met
	if hits, _ := run(previous, nil, 2); hits == 0 {
		t.Errorf("the earlier revision found none of its code in the cache")
	}
	if hits, misses := run(shared.binary, nil, 2); hits != 2 || misses != 0 {
		t.Errorf("this revision found the code of %v modules in the cache and missed %v", hits, misses)
	}
}
