// Command fleet implements "make fleet": it measures a gateway with 20 modules and 100 definitions, in
// the memory profile of deploy/base and in the large one.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
)

const (
	definitions = 100
	objects     = 10_000 // that are converted, one a review
	clients     = 4
)

// count is how many modules of a language a gateway has. Modules in Rust and Zig hold their group in
// instructions, where fill cannot replace it; they are as small as those in C.
type count struct {
	language string
	modules  int
}

// profiles are the gateways that are measured. The small one has no room for five modules in Go.
var profiles = []struct {
	name        string
	modules     []count
	flags       []string
	environment []string
}{
	{"small", []count{{"rules", 10}, {"c", 5}, {"cpp", 5}}, []string{
		"--max-instances=4", "--max-loaded-bytes=48Mi", "--module-memory-bytes=16Mi", "--max-module-bytes=8Mi", "--vet-memory-bytes=120Mi",
		"--max-definition-bytes=32Mi", "--max-body-bytes=4Mi", "--max-body-bytes-in-flight=16Mi", "--max-reply-bytes=4Mi", "--max-connections=256", "--cache-bytes=8Mi",
	}, []string{"GOMEMLIMIT=160MiB", "GOMAXPROCS=2"}},
	{"large", []count{{"go", 5}, {"rules", 10}, {"c", 5}}, []string{"--max-instances=16", "--max-loaded-bytes=512Mi"}, []string{"GOMEMLIMIT=1568MiB", "GOMAXPROCS=2"}},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := measure(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "make fleet:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "crosswalk-fleet-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Println("| profile | start | ready after, s | its CPU, s | modules that serve | at rest, MiB | busy, MiB | µs of CPU for a review |")
	fmt.Println("|---|---|---:|---:|---:|---:|---:|---:|")
	for _, p := range profiles {
		modules := filepath.Join(dir, p.name+"-modules")
		groups, err := fill(modules, p.modules)
		if err != nil {
			return err
		}
		cache := filepath.Join(dir, p.name)
		for _, start := range []string{"first", "with its compile cache"} {
			g, err := startGateway(ctx, dir, append(p.flags, "--modules", modules, "--compile-cache", cache), p.environment)
			if err != nil {
				return err
			}
			cost, serving := g.cpu(), g.serving()
			time.Sleep(10 * time.Second) // the garbage collector returns memory
			rest, before := g.resident(), g.cpu()
			done, err := g.convert(ctx, groups)
			if err != nil {
				return err
			}
			busy := g.peak()
			fmt.Printf("| %s | %s | %.1f | %.1f | %d | %d | %d | %.0f |\n", p.name, start, g.ready.Seconds(), cost.Seconds(), serving, rest, busy,
				float64((g.cpu()-before).Microseconds())/float64(max(done, 1)))
			g.end()
		}
	}
	return nil
}

// fill writes the modules, each for a group of its own, and the definitions. It returns the groups.
func fill(dir string, modules []count) (groups []string, err error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	crontab, err := os.ReadFile("plugins/crontab/crd.yaml")
	if err != nil {
		return nil, err
	}
	write := func(name string, content string) {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644)
		}
	}
	for _, l := range modules {
		module, err := os.ReadFile(filepath.Join("bin/plugins", l.language, "CronTab.stable.example.com_v1_v2.wasm"))
		if err != nil {
			return nil, fmt.Errorf("%w: run make plugins", err)
		}
		for range l.modules {
			stem := fmt.Sprintf("stab%02d", len(groups)) // as long as "stable", so that it can be replaced in a module
			groups = append(groups, stem+".example.com")
			write("CronTab."+stem+".example.com_v1_v2.wasm", strings.ReplaceAll(string(module), "stable.example.com", stem+".example.com"))
			write("crontabs."+stem+".example.com.crd.yaml", strings.ReplaceAll(string(crontab), "stable.example.com", stem+".example.com"))
		}
	}
	others := []struct{ plural, group, file string }{
		{"certificates", "cert-manager.io", "plugins/certificate/crd.yaml"}, {"databases", "db.example.com", "plugins/database/crd.yaml"},
		{"environments", "platform.example.com", "plugins/environment/crd.yaml"}, {"healthchecks", "machines.example.com", "plugins/healthcheck/crd.yaml"},
	}
	for i := len(groups); i < definitions; i++ {
		o := others[i%len(others)]
		text, err := oneVersion(o.file)
		if err != nil {
			return nil, err
		}
		group := fmt.Sprintf("n%d.%s", i, o.group)
		write(o.plural+"."+group+".crd.json", strings.ReplaceAll(text, o.group, group))
	}
	return groups, err
}

// oneVersion returns a definition as JSON, with its storage version alone: a gateway is not ready while a
// conversion is missing.
func oneVersion(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	node, err := plainyaml.Parse(text, plainyaml.Limits{Bytes: 1 << 20, Nodes: 1 << 20, Depth: 100})
	if err != nil {
		return "", err
	}
	if text, err = plainyaml.AppendJSON(nil, node, func(string) bool { return true }); err != nil {
		return "", err
	}
	var crd map[string]any
	if err := json.Unmarshal(text, &crd); err != nil {
		return "", err
	}
	spec := crd["spec"].(map[string]any)
	spec["versions"] = slices.DeleteFunc(spec["versions"].([]any), func(v any) bool { return v.(map[string]any)["storage"] != true })
	text, err = json.Marshal(crd)
	return string(text), err
}
