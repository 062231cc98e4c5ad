package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const run = `go: go1.26.8
cores: 2
date: 2026-11-21
note: A remark.
cpu: Some CPU
BenchmarkReview/object=3.8k/batch=1/system=B1-2               1    39 B/review   203 allocs/review   200.0 cpu-µs/object   1.000 x-B1
BenchmarkReview/object=3.8k/batch=1/system=cached-2           1    10 B/review    71 allocs/review     5.0 cpu-µs/object   40.00 x-B1
BenchmarkReview/object=3.8k/batch=1000/system=B1-2    1    39 B/review   203 allocs/review   200.0 cpu-µs/object   1.000 x-B1
BenchmarkReview/object=3.8k/batch=1000/system=c-2     1    10 B/review    71 allocs/review    12.5 cpu-µs/object   16.00 x-B1
BenchmarkReview/object=3.8k/batch=1000/system=go-2    1    10 B/review    71 allocs/review    20.0 cpu-µs/object   10.00 x-B1
BenchmarkReview/object=3.8k/batch=1000/system=c+fields-2      1    10 B/review    71 allocs/review    5.0 cpu-µs/object   40.00 x-B1
BenchmarkReview/object=3.8k/batch=1000/system=kubebuilder-2   1    10 B/review    71 allocs/review   500.0 cpu-µs/object   0.400 x-B1
BenchmarkMeter/crontab-c-2    100    5000 ns/op    1.25 x/unmetered
BenchmarkMeter/crontab-go-2   100    5000 ns/op    1.30 x/unmetered
ok  	example	1.0s
`

func read(t *testing.T, text string) *results {
	t.Helper()
	r := &results{}
	if err := r.read(strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTables(t *testing.T) {
	r := read(t, run)
	if got, want := r.wholeRatios().markdown(), `| module | 3.8 KB × 1 | 3.8 KB × 1,000 |
|---|---:|---:|
| C | – | 16.0× |
| Go | – | 10.0× |
| Go with B1's types | – | 0.40× |
| cached answers | 40.0× | – |
`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := r.declaredRatios().markdown(), `| module | 3.8 KB × 1 | 3.8 KB × 1,000 |
|---|---:|---:|
| C | – | 40.0× |
`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := r.times().markdown(), `| module | 3.8 KB × 1 | 3.8 KB × 1,000 |
|---|---:|---:|
| B1 | 200 | 200 |
| C | – | 12.5 |
| C, declared fields | – | 5.00 |
| Go | – | 20.0 |
| Go with B1's types | – | 500 |
| cached answers | 5.00 | – |
`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if document := r.document(); !strings.Contains(document, "Some CPU, 2 cores, go1.26.8, 2026-11-21. A remark.") {
		t.Errorf("the machine is not in\n%s", document)
	}
}

func TestServers(t *testing.T) {
	r := read(t, `
rounds: 5
BenchmarkTLS/object=0.9k/server=B1-2    1  200.0 server-µs/request  400.0 wall-µs/request  1.000 x-B1  1.000 x-B1-wall  2.000 x-echo
BenchmarkTLS/object=0.9k/server=c-2     1  125.0 server-µs/request  320.0 wall-µs/request  1.600 x-B1  1.250 x-B1-wall  1.250 x-echo
BenchmarkTLS/object=3.8k/server=B1-2    1  400.0 server-µs/request  800.0 wall-µs/request  1.000 x-B1  1.000 x-B1-wall  3.000 x-echo
BenchmarkTLS/object=3.8k/server=c-2     1  150.0 server-µs/request  600.0 wall-µs/request  2.667 x-B1  1.333 x-B1-wall  1.125 x-echo
BenchmarkTLS/object=3.8k/server=go-2    1  200.0 server-µs/request  700.0 wall-µs/request  2.000 x-B1  1.143 x-B1-wall  1.500 x-echo
rounds: 3
rounds: 5
`)
	if got, want := r.serverTimes().markdown(), `| server | 0.9 KB, µs | B1 ÷ | 3.8 KB, µs | B1 ÷ |
|---|---:|---:|---:|---:|
| B1 | 200 | 1.00 | 400 | 1.00 |
| C | 125 | 1.60 | 150 | 2.67 |
| Go | – | – | 200 | 2.00 |
`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	chart := r.chart()
	for _, want := range []string{`width="330.0" height="16"/><text x="636.0" y="163">400 µs<`, `width="123.8" height="16"/><text x="429.8" y="85">150 µs<`} {
		if !strings.Contains(chart, want) {
			t.Errorf("%s is not in\n%s", want, chart)
		}
	}
	document := r.document()
	if want := "take turns, 5 or 3 each"; !strings.Contains(document, want) {
		t.Errorf("%q is not in\n%s", want, document)
	}
	if tls, lists := strings.Index(document, "## One object over TLS"), strings.Index(document, "## Lists"); tls < 0 || tls > lists {
		t.Error("the page does not begin with the load that API servers send")
	}
}

func TestModules(t *testing.T) {
	r := read(t, `
BenchmarkLoad/language=c-2          24  28.89 compile-ms  0.0212 first-ms  93.2 further-µs  0.541 rewrite-ms  50.21 vet-ms
BenchmarkLoad/language=nim-2         8  87.08 compile-ms  1.773 rewrite-ms  133.4 vet-ms
BenchmarkFootprint/language=c-2      1  65.05 image-KiB  138.8 instance-KiB  1332 module-KiB
BenchmarkFootprint/language=nim-2    2  0 image-KiB  1242 module-KiB
BenchmarkStart/C=100/vet-2           1  9000 cpu-ms  80 ms-to-first  5000 ms-to-all
BenchmarkStart/C=100-2               1  7000 cpu-ms  80 ms-to-first  4000 ms-to-all
BenchmarkStart/C=100/cached-2        1  600 cpu-ms  80 ms-to-first  400 ms-to-all
`)
	const want = `| module | vetting, ms | rewriting, ms | compiling, ms | first instance, ms | further instance, µs | module, KiB | its image, KiB | an instance, KiB |
|---|---:|---:|---:|---:|---:|---:|---:|---:|
| C | 50.2 | 0.54 | 28.9 | 0.02 | 93.2 | 1,332 | 65.0 | 139 |
| Nim (no SDK) | 133 | 1.77 | 87.1 | – | – | 1,242 | 0.00 | – |
`
	if got := r.modules().markdown(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestLists(t *testing.T) {
	r := read(t, `
BenchmarkList/objects=10000/server=B1-2     1  500.0 server-ms/list  3000 wall-ms/list  1.000 x-B1-wall  1.500 x-echo-wall
BenchmarkList/objects=10000/server=echo-2   1  100.0 server-ms/list  2000 wall-ms/list  1.500 x-B1-wall  1.000 x-echo-wall
BenchmarkList/objects=10000/server=c-2      1  200.0 server-ms/list  2080 wall-ms/list  1.442 x-B1-wall  1.040 x-echo-wall
BenchmarkList/objects=10000/server=rust-2   1  300.0 server-ms/list  2200 wall-ms/list  1.364 x-B1-wall  1.100 x-echo-wall
BenchmarkList/objects=10000/server=none-2   1  500.0 wall-ms/list
`)
	if got, want := r.lists().markdown(), `| server | wall, s | B1 ÷ | ÷ echo | server CPU, s |
|---|---:|---:|---:|---:|
| B1 | 3.00 | 1.00 | 1.50 | 0.50 |
| echo | 2.00 | 1.50 | 1.00 | 0.10 |
| C | 2.08 | 1.44 | 1.04 | 0.20 |
| Rust | 2.20 | 1.36 | 1.10 | 0.30 |
| none (stored version) | 0.50 | – | – | – |
`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if document := r.document(); !strings.Contains(document, "## A LIST through an API server") {
		t.Errorf("the table is not in\n%s", document)
	}
}

func TestFirst(t *testing.T) {
	r := read(t, `
BenchmarkFirst/server=B1/start=first-2   1  60.0 first-ms  50.0 first-cpu-ms  25.0 rest-MiB
BenchmarkFirst/server=c/start=first-2    1  250.0 first-ms  200.0 first-cpu-ms  40.0 rest-MiB
BenchmarkFirst/server=c/start=cached-2   1  90.0 first-ms  80.0 first-cpu-ms  41.0 rest-MiB
`)
	if got, want := r.first().markdown(), `| server | first conversion after, ms | CPU until then, ms | at rest, MiB |
|---|---:|---:|---:|
| B1 | 60.0 | 50.0 | 25.0 |
| C | 250 | 200 | 40.0 |
| C, started again | 90.0 | 80.0 | 41.0 |
`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if document := r.document(); !strings.Contains(document, "## Start and memory") {
		t.Errorf("the table is not in\n%s", document)
	}
}

func TestReadRefuses(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"a failed benchmark", run + "--- FAIL: BenchmarkTLS\n", "a benchmark failed: --- FAIL: BenchmarkTLS"},
		{"a failed package", run + "FAIL\texample\t1.0s\n", "a benchmark failed: FAIL\texample\t1.0s"},
		{"no number", "BenchmarkReview 1 x ns/op\n", `BenchmarkReview: ["x" "ns/op"] is not a value and a unit`},
		{"no unit", "BenchmarkReview 1 2 ns/op 3\n", `BenchmarkReview: ["3"] is not a value and a unit`},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := (&results{}).read(strings.NewReader(test.in))
			if err == nil || err.Error() != test.want {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

func TestNumber(t *testing.T) {
	for in, want := range map[float64]string{0.256: "0.26", 9.5: "9.50", 12.34: "12.3", 123.4: "123", 26031: "26,031", 1234567: "1,234,567"} {
		if got := number(in); got != want {
			t.Errorf("number(%v) = %s, want %s", in, got, want)
		}
	}
}

// TestReadmeSaysTheFigures asserts that the first page says of the speed what the page of the
// measurements says.
func TestReadmeSaysTheFigures(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "one object of 3.8 KB over TLS, as API servers send it, takes about half of the CPU of controller-runtime's own\n  handler with a converter in C or Rust"; !strings.Contains(string(readme), want) {
		t.Errorf("README.md does not say %q", want)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "use", "performance.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(page), "| 3.8 KB, µs | B1 ÷ |")
	if !found {
		t.Fatal("performance.md has no table of objects of 3.8 KB")
	}
	for _, language := range []string{"C", "Rust"} {
		_, row, _ := strings.Cut(table, "\n| "+language+" | ")
		row, _, _ = strings.Cut(row, " |\n")
		cells := strings.Split(row, " | ")
		if len(cells) < 4 {
			t.Fatalf("performance.md has no row of %s", language)
		}
		if ratio, err := strconv.ParseFloat(cells[3], 64); err != nil || ratio < 1.6 || ratio > 2.5 {
			t.Errorf("%s: B1 takes %s times the CPU, %v: that is not about twice", language, cells[3], err)
		}
	}
}

// TestSizingSaysTheFigures asserts that the page about sizing has the CPU time of the table for C,
// rounded.
func TestSizingSaysTheFigures(t *testing.T) {
	read := func(page string) string {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "use", page))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	row := regexp.MustCompile(`(?m)^\| C \| [\d,.]+ \| [\d.]+ \| ([\d,.]+) \|`).FindStringSubmatch(read("performance.md"))
	said := regexp.MustCompile(`an object of 3\.8 KB takes about ([\d.]+) ms of CPU: one CPU converts some ([\d,]+) objects a second`).FindStringSubmatch(read("tasks.md"))
	if row == nil || said == nil {
		t.Fatalf("performance.md has the row %q, tasks.md the sentence %q", row, said)
	}
	var n [3]float64
	for i, text := range []string{row[1], said[1], said[2]} {
		var err error
		if n[i], err = strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64); err != nil {
			t.Fatal(err)
		}
	}
	for _, figure := range []struct{ said, measured float64 }{{n[1], n[0] / 1000}, {n[2], 1e6 / n[0]}} {
		if off := figure.said / figure.measured; off < 0.8 || off > 1.25 {
			t.Errorf("%q: by performance.md it is %.3g, not %.3g", said[0], figure.measured, figure.said)
		}
	}
}
