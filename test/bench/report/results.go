package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// results are the lines of the benchmarks' format: configuration ("key: value") and measurements.
type results struct {
	config map[string]string
	lines  []line
}

// line is one benchmark: its name ("BenchmarkReview"), the parts of its sub-benchmarks' names that
// are key=value, the others in order under "", and the metrics by unit.
type line struct {
	name    string
	keys    map[string]string
	metrics map[string]float64
}

// read adds the measurements of a file and ignores all other lines.
//
// # Errors
//
// It fails if a benchmark failed, because the run is incomplete, and if a metric is not a number.
func (r *results) read(text io.Reader) error {
	if r.config == nil {
		r.config = map[string]string{}
	}
	scanner := bufio.NewScanner(text)
	for scanner.Scan() {
		words := strings.Fields(scanner.Text())
		switch {
		case len(words) == 0:
		case words[0] == "FAIL" || words[0] == "---" && len(words) > 1 && words[1] == "FAIL:":
			return errors.New("a benchmark failed: " + scanner.Text())
		case strings.HasPrefix(words[0], "Benchmark") && len(words) >= 4:
			if err := r.add(words); err != nil {
				return err
			}
		case strings.HasSuffix(words[0], ":"):
			r.configure(strings.TrimSuffix(words[0], ":"), strings.Join(words[1:], " "))
		}
	}
	return scanner.Err()
}

// configure records a line of configuration. If files differ, it records all values: "3 or 5".
func (r *results) configure(key, value string) {
	if before := r.config[key]; before == "" {
		r.config[key] = value
	} else if !slices.Contains(strings.Split(before, " or "), value) {
		r.config[key] = before + " or " + value
	}
}

// add adds a benchmark's line: its name, its iterations, and pairs of value and unit.
func (r *results) add(words []string) error {
	name := words[0]
	if at := strings.LastIndexByte(name, '-'); at > 0 { // GOMAXPROCS
		if _, err := strconv.Atoi(name[at+1:]); err == nil {
			name = name[:at]
		}
	}
	parts := strings.Split(name, "/")
	l := line{name: parts[0], keys: map[string]string{}, metrics: map[string]float64{}}
	for _, part := range parts[1:] {
		if key, value, ok := strings.Cut(part, "="); ok {
			l.keys[key] = value
		} else {
			l.keys[""] = part
		}
	}
	for pair := range slices.Chunk(words[2:], 2) {
		value, err := strconv.ParseFloat(pair[0], 64)
		if err != nil || len(pair) != 2 {
			return fmt.Errorf("%s: %q is not a value and a unit", words[0], pair)
		}
		l.metrics[pair[1]] = value
	}
	r.lines = append(r.lines, l)
	return nil
}

// find returns a metric of the benchmark with the name and the keys, which are pairs of key and
// value. It reports whether the benchmark ran.
func (r *results) find(unit, name string, keys ...string) (value float64, ok bool) {
lines:
	for _, l := range r.lines {
		if l.name != name {
			continue
		}
		for i := 0; i < len(keys); i += 2 {
			if l.keys[keys[i]] != keys[i+1] {
				continue lines
			}
		}
		value, ok = l.metrics[unit]
		return value, ok
	}
	return 0, false
}

// values returns the distinct values of a key in the lines of a benchmark, in the order of the run.
func (r *results) values(name, key string) []string {
	var all []string
	for _, l := range r.lines {
		if value := l.keys[key]; l.name == name && value != "" && !slices.Contains(all, value) {
			all = append(all, value)
		}
	}
	return all
}

// languages returns the languages of the example converter, sorted by name.
func (r *results) languages() []string {
	systems := append(r.values("BenchmarkReview", "system"), r.values("BenchmarkTLS", "server")...)
	slices.Sort(systems)
	return slices.DeleteFunc(slices.Compact(systems), func(s string) bool {
		return strings.HasSuffix(s, projectedSuffix) || slices.Contains([]string{"B1", "B2", "echo", "cached", "kubebuilder", "peer"}, s)
	})
}

// adapters returns the guests of BenchmarkReview that reuse an operator's Go types.
func (r *results) adapters() []string {
	return slices.DeleteFunc(r.values("BenchmarkReview", "system"), func(s string) bool { return s != "kubebuilder" })
}

const (
	// projectedSuffix marks the name of a language whose module declares its fields.
	projectedSuffix = "+fields"
	// declaredTitle is projectedSuffix as readers see it.
	declaredTitle = ", declared fields"
)

// title returns the name of a language or another system as readers see it.
func title(system string) string {
	if language, declared := strings.CutSuffix(system, projectedSuffix); declared {
		return title(language) + declaredTitle
	}
	known := map[string]string{
		"none": "none (stored version)", "cached": "cached answers",
		"c": "C", "go": "Go", "rust": "Rust", "zig": "Zig", "cpp": "C++", "assemblyscript": "AssemblyScript", "javascript": "JavaScript",
		"nim": "Nim (no SDK)", "lua": "Lua (a bundle)", "rules": "Rules (crosswalk compile)", "kubebuilder": "Go with B1's types",
	}
	if written, ok := known[system]; ok {
		return written
	}
	return system
}
