package main

import (
	"strings"
	"testing"
)

const run = `go: go1.26.8
cores: 2
cpu: Some CPU
BenchmarkReview/object=3.8k/batch=1000/system=B1-2    1    39 B/review   203 allocs/review   200.0 cpu-µs/object   1.000 x-B1
BenchmarkReview/object=3.8k/batch=1000/system=c-2     1    10 B/review    71 allocs/review    12.5 cpu-µs/object   16.00 x-B1
BenchmarkReview/object=3.8k/batch=1000/system=go-2    1    10 B/review    71 allocs/review    20.0 cpu-µs/object   10.00 x-B1
BenchmarkMeter/crontab-c-2    100    5000 ns/op    1.05 x/unmetered
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
	if got, want := r.reviews().markdown(true), `| object × batch | B1, µs/object | B2 | C | Go |
|---|---:|---:|---:|---:|
| 3.8 KB × 1,000 | 200 | – | 12.5 (16.0×) | 20.0 (10.0×) |
`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	targets := strings.Join(strings.Fields(r.targets(true).text()), " ") // however wide the columns are
	for _, want := range []string{
		"C ≥ 20 16.0 **no** with C, half is",
		"Go ≥ 8 10.0 yes",
		"Rust ≥ 7 not in this run –",
		"C ≤ 1.2 1.05 yes",
	} {
		if !strings.Contains(targets, want) {
			t.Errorf("%q is not in\n%s", want, targets)
		}
	}
	if got, want := r.reached(), "2 of 3"; got != want {
		t.Errorf("reached %s, want %s", got, want)
	}
	if document := r.document(); !strings.Contains(document, "Some CPU, 2 cores, go1.26.8") {
		t.Errorf("the machine is not in\n%s", document)
	}
	if chart := r.chart(); !strings.Contains(chart, "16.0×") {
		t.Errorf("C's ratio is not in\n%s", chart)
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
	const want = `| module | vetting, ms | rewriting | compiling | first instance | a further one, µs | module, KiB | its image | an instance |
|---|---:|---:|---:|---:|---:|---:|---:|---:|
| C | 50.2 | 0.54 | 28.9 | 0.02 | 93.2 | 1,332 | 65.0 | 139 |
| Nim, without an SDK | 133 | 1.77 | 87.1 | – | – | 1,242 | 0.00 | – |
`
	if got := r.modules().markdown(true); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if document := r.document(); !strings.Contains(document, want) {
		t.Errorf("the table is not in\n%s", document)
	}
	targets := r.targets(false).text()
	for _, line := range []string{
		"memory of a loaded module, its image and an idle instance, MiB  C       ≤ 1.5   1.50      yes",
		"CPU of a start with 100 modules, vetted, s                      C       ≤ 15    9.00      yes",
		"the same from the compile cache                                 C       ≤ 0.5   0.60      **no**",
	} {
		if !strings.Contains(targets, line) {
			t.Errorf("%q is not in\n%s", line, targets)
		}
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
	if got, want := r.lists().markdown(true), `| server | wall, s | B1 ÷ | ÷ echo | server CPU, s |
|---|---:|---:|---:|---:|
| B1 | 3.00 | 1.00 | 1.50 | 0.50 |
| echo | 2.00 | 1.50 | 1.00 | 0.10 |
| C | 2.08 | 1.44 | 1.04 | 0.20 |
| Rust | 2.20 | 1.36 | 1.10 | 0.30 |
| none (stored version) | 0.50 | – | – | – |
`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := r.reached(), "1 of 2"; got != want {
		t.Errorf("reached %s, want %s: C's list and not Rust's", got, want)
	}
	if document := r.document(); !strings.Contains(document, "## Through an API server") {
		t.Errorf("the table is not in\n%s", document)
	}
	if targets := read(t, run).targets(true).text(); !strings.Contains(targets, "wall time of a LIST of 10,000 objects") {
		t.Errorf("a run without lists does not say that one was aimed at:\n%s", targets)
	}
}

func TestWorst(t *testing.T) {
	r := read(t, `
BenchmarkReview/object=1k/batch=1/system=c 1 10 cpu-µs/object
BenchmarkReview/object=2k/batch=1/system=c 1 10 cpu-µs/object
BenchmarkReview/object=4k/batch=1/system=c 1 30 cpu-µs/object
`)
	got, ok := r.worst("c", "object", func(_, batch string) bool { return batch == "1" })
	if !ok || got != 1.5 {
		t.Errorf("worst: %v, %v; want 1.5: 30 µs for 4 KB after 10 µs for 2", got, ok)
	}
}

func TestReadRefuses(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"a failed benchmark", run + "--- FAIL: BenchmarkTLS\n", "a benchmark failed: --- FAIL: BenchmarkTLS"},
		{"a failed package", run + "FAIL\texample\t1.0s\n", "a benchmark failed: FAIL\texample\t1.0s"},
		{"no number", "BenchmarkReview 1 x ns/op\n", `BenchmarkReview: ["x" "ns/op"] is no value and unit`},
		{"no unit", "BenchmarkReview 1 2 ns/op 3\n", `BenchmarkReview: ["3"] is no value and unit`},
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
