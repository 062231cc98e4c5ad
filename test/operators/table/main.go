// Command table adopts operators with crosswalk adopt, and writes what it measures to the table in sdk/README.md.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// operator is a kind of an operator whose packages the Go proxy has.
type operator struct {
	name     string
	module   string // path@version
	packages []string
	kind     string
	here     bool // the go.mod of the tests of operators has it
}

func operators() []operator {
	under := func(path string, names ...string) (all []string) {
		for _, n := range names {
			all = append(all, path+"/"+n)
		}
		return all
	}
	const capi, runtime = "sigs.k8s.io/cluster-api", "sigs.k8s.io/controller-runtime"
	const monitoring = "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring"
	return []operator{
		{"controller-runtime", runtime + "@v0.22.3", under(runtime+"/pkg/webhook/conversion/testdata/api", "v1", "v2", "v3"), "ExternalJob", true},
		{"prometheus-operator", monitoring + "@v0.88.0", under(monitoring, "v1alpha1", "v1beta1"), "AlertmanagerConfig", true},
		{"MetalLB", "go.universe.tf/metallb@v0.16.2", under("go.universe.tf/metallb/api", "v1beta1", "v1beta2"), "BGPPeer", false},
		{"Kueue", "sigs.k8s.io/kueue@v0.15.0", under("sigs.k8s.io/kueue/apis/kueue", "v1beta1", "v1beta2"), "Workload", false},
		{"Kueue", "sigs.k8s.io/kueue@v0.15.0", under("sigs.k8s.io/kueue/apis/kueue", "v1beta1", "v1beta2"), "ClusterQueue", false},
		{"Tekton", "github.com/tektoncd/pipeline@v1.6.0", under("github.com/tektoncd/pipeline/pkg/apis/pipeline", "v1", "v1beta1"), "Task", false},
		{"Cluster API", capi + "@v1.11.5", under(capi+"/api/ipam", "v1alpha1", "v1beta1", "v1beta2"), "IPAddressClaim", true},
		{"Cluster API", capi + "@v1.11.5", under(capi+"/api/core", "v1beta1", "v1beta2"), "Machine", false},
	}
}

func main() {
	program := flag.String("crosswalk", "../../bin/crosswalk", "the program")
	readme := flag.String("readme", "../../sdk/README.md", "the file with the table")
	work := flag.String("work", "", "the directory to adopt in (default: a temporary one)")
	kind := flag.String("kind", "", "adopt this kind only, and leave the file alone")
	flag.Parse()
	if err := run(*program, *readme, *work, *kind); err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

func run(program, readme, work, kind string) error {
	program, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	if work == "" {
		if work, err = os.MkdirTemp("", "operators"); err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(work) }()
	}
	rows := []string{
		"| kind | from | wasm | .gz, MB | .zst, MB | load, CPU | one object in a review, native ÷ module | in a list of 1,000 | equal |",
		"|---|---|---|---|---|---|---|---|---|",
	}
	for _, o := range operators() {
		if kind != "" && kind != o.kind {
			continue
		}
		row, err := o.adopt(program, work)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", o.kind, err)
			reason, _, _ := strings.Cut(err.Error(), "\n")
			row = fmt.Sprintf("| %s | %s | – | – | – | – | – | – | %s |", o.kind, o.from(), reason)
		}
		fmt.Println(row)
		rows = append(rows, row)
	}
	if kind != "" {
		return nil
	}
	return write(readme, strings.Join(rows, "\n"))
}

func (o operator) from() string {
	return strings.TrimSpace(o.name + " " + o.module[strings.Index(o.module, "@")+1:])
}

// adopt returns the operator's row.
func (o operator) adopt(program, work string) (string, error) {
	module, _, _ := strings.Cut(o.module, "@")
	dir := "." // whose go.mod has three of them
	if !o.here {
		dir = filepath.Join(work, strings.NewReplacer("/", "-", "@", "-").Replace(o.module))
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); errors.Is(err, os.ErrNotExist) {
		if _, err := output(dir, "go", "mod", "init", "example.com/operators"); err != nil {
			return "", err
		}
		if _, err := output(dir, "go", "get", o.module); err != nil {
			return "", err
		}
	}
	if _, err := output(dir, "go", append([]string{"list", "-mod=mod", "-deps"}, o.packages...)...); err != nil { // for go.sum
		return "", err
	}
	args := append([]string{"adopt", "--kind", o.kind, "--out", filepath.Join(work, o.kind)}, o.packages...)
	out, err := output(dir, program, args...)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(os.Stderr, "%s of %s:\n%s\n", o.kind, module, out)
	sizes := regexp.MustCompile(`\.wasm: ([0-9.]+ MB); \.gz ([0-9.]+) MB, \.zst ([0-9.]+) MB; .*; loads in ([0-9.]+ s) of CPU`)
	pair := regexp.MustCompile(`equal for ([0-9]+) objects.* takes [0-9]+ µs, native [0-9]+ µs \(([0-9.]+)\); in a list of 1,000, an object takes [0-9]+ µs, native [0-9]+ µs \(([0-9.]+)\)`)
	size := sizes.FindStringSubmatch(out)
	pairs := pair.FindAllStringSubmatch(out, -1)
	if size == nil || pairs == nil {
		return "", fmt.Errorf("crosswalk adopt printed something else: %s", out)
	}
	compared := 0
	var one, list []string
	for _, p := range pairs {
		n := 0
		_, _ = fmt.Sscan(p[1], &n)
		compared += n
		one = append(one, p[2])
		list = append(list, p[3])
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s | %s | %d objects |", o.kind, o.from(), size[1], size[2], size[3], size[4],
		strings.Join(one, ", "), strings.Join(list, ", "), compared), nil
}

func output(dir, name string, args ...string) (string, error) {
	command := exec.Command(name, args...)
	command.Dir = dir
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %s", filepath.Base(name), strings.TrimSpace(stderr.String()))
	}
	return string(out), nil
}

// write puts the table between its markers.
func write(readme, table string) error {
	const begin, end = "<!-- written by make operators-table -->\n", "<!-- end -->"
	text, err := os.ReadFile(readme)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, there := strings.Cut(rest, end)
	if !ok || !there {
		return fmt.Errorf("%s has no markers %q and %q", readme, begin, end)
	}
	return os.WriteFile(readme, []byte(before+begin+table+"\n"+end+after), 0o644)
}
