// Command table adopts operators with crosswalk adopt, and writes what it measures to the table in
// sdk/README.md.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// operator is a kind of an operator whose packages the Go proxy has.
type operator struct {
	name, version string
	path          string // of the packages, before the versions
	versions      []string
	kind          string
}

func operators() []operator {
	const kueue, clusterAPI = "sigs.k8s.io/kueue/apis/kueue", "sigs.k8s.io/cluster-api/api/"
	return []operator{
		{"controller-runtime", "v0.22.3", "sigs.k8s.io/controller-runtime/pkg/webhook/conversion/testdata/api", []string{"v1", "v2", "v3"}, "ExternalJob"},
		{"prometheus-operator", "v0.88.0", "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring", []string{"v1alpha1", "v1beta1"}, "AlertmanagerConfig"},
		{"MetalLB", "v0.16.2", "go.universe.tf/metallb/api", []string{"v1beta1", "v1beta2"}, "BGPPeer"},
		{"Kueue", "v0.15.0", kueue, []string{"v1beta1", "v1beta2"}, "Workload"},
		{"Kueue", "v0.15.0", kueue, []string{"v1beta1", "v1beta2"}, "ClusterQueue"},
		{"Tekton", "v1.6.0", "github.com/tektoncd/pipeline/pkg/apis/pipeline", []string{"v1", "v1beta1"}, "Task"},
		{"Cluster API", "v1.11.5", clusterAPI + "ipam", []string{"v1alpha1", "v1beta1", "v1beta2"}, "IPAddressClaim"},
		{"Cluster API", "v1.11.5", clusterAPI + "core", []string{"v1beta1", "v1beta2"}, "Machine"},
		{"external-secrets", "v0.9.20", "github.com/external-secrets/external-secrets/apis/externalsecrets", []string{"v1alpha1", "v1beta1"}, "ExternalSecret"},
	}
}

// The markers of the table in the file.
const begin, end = "<!-- written by make operators-table -->\n", "<!-- end -->"

func main() {
	program := flag.String("crosswalk", "../../bin/crosswalk", "the program")
	readme := flag.String("readme", "../../sdk/README.md", "the file with the table")
	work := flag.String("work", "", "the directory to adopt in (default: a temporary one)")
	kind := flag.String("kind", "", "adopt this kind only, and leave the other rows as they are")
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
	if work, err = filepath.Abs(work); err != nil {
		return err
	}
	rows := []string{
		"| kind | from | wasm | .gz, MB | .zst, MB | load, CPU | one object in a review, native ÷ module | in a list of 1,000 | equal |",
		"|---|---|---|---|---|---|---|---|---|",
	}
	text, err := os.ReadFile(readme)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(text), begin)
	table, after, there := strings.Cut(rest, end)
	if !ok || !there {
		return fmt.Errorf("%s has no markers %q and %q", readme, begin, end)
	}
	old := strings.Split(table, "\n")
	for _, o := range operators() {
		if kind != "" && kind != o.kind {
			if i := slices.IndexFunc(old, func(row string) bool { return strings.HasPrefix(row, "| "+o.kind+" |") }); i >= 0 {
				rows = append(rows, old[i])
			}
			continue
		}
		row, err := o.adopt(program, work)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", o.kind, err)
			reason, _, _ := strings.Cut(err.Error(), "\n")
			row = fmt.Sprintf("| %s | %s %s | – | – | – | – | – | – | %s |", o.kind, o.name, o.version, reason)
		}
		fmt.Println(row)
		rows = append(rows, row)
	}
	return os.WriteFile(readme, []byte(before+begin+strings.Join(rows, "\n")+"\n"+end+after), 0o644)
}

// adopt returns the operator's row. The command runs in an empty directory, as it does for a person
// without a clone of the operator.
func (o operator) adopt(program, work string) (string, error) {
	dir := filepath.Join(work, o.kind)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	args := []string{"adopt", "--kind", o.kind, "--dir", "converter"}
	for _, v := range o.versions {
		args = append(args, o.path+"/"+v+"@"+o.version)
	}
	out, err := output(dir, program, args...)
	if err != nil {
		return "", err
	}
	fmt.Fprintln(os.Stderr, out)
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
		n, err := strconv.Atoi(p[1])
		if err != nil {
			return "", err
		}
		compared += n
		one, list = append(one, p[2]), append(list, p[3])
	}
	return fmt.Sprintf("| %s | %s %s | %s | %s | %s | %s | %s | %s | %d objects |", o.kind, o.name, o.version, size[1], size[2], size[3], size[4],
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
