package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestRun runs go test on packages that pass, fail, panic, skip and do not compile.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                "module example.com/m\n",
		"good/good_test.go":     "package good\nimport \"testing\"\nfunc TestGood(t *testing.T) { t.Log(\"of no interest\") }\nfunc TestSkipped(t *testing.T) { t.Log(\"before\"); t.Skip(\"no kubectl\") }\nfunc TestPart(t *testing.T) { t.Run(\"a\", func(t *testing.T) { t.Skip(\"no kubectl\") }) }\nfunc TestNow(t *testing.T) { t.SkipNow() }\n",
		"bad/bad_test.go":       "package bad\nimport \"testing\"\nfunc TestGood(t *testing.T) { t.Log(\"of no interest\") }\nfunc TestBad(t *testing.T) { t.Run(\"sub\", func(t *testing.T) { t.Error(\"the error\") }) }\n",
		"panics/panic_test.go":  "package panics\nimport \"testing\"\nfunc TestPanic(t *testing.T) { panic(\"the panic\") }\nfunc TestNever(t *testing.T) { t.Skip(\"no kubectl\") }\n",
		"exits/exit_test.go":    "package exits\nimport (\"testing\"; \"os\")\nfunc TestExit(t *testing.T) { t.Log(\"a log\"); os.Exit(0) }\n",
		"broken/broken_test.go": "package broken\nvar x int = \"the mistake\"\n",
		"none/none.go":          "package none\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("GOFLAGS", "-mod=mod")
	const file = "part"
	for _, c := range []struct {
		command []string
		code    int
		want    []string
		not     string
	}{
		{[]string{"go", "test", "-json", "./good", "./none"}, 0, []string{"ok  \texample.com/m/good\t", "?   \texample.com/m/none\t[no test files]\n"}, "of no interest"},
		{[]string{"go", "test", "-json", "./bad", "./good"}, 1, []string{"    bad_test.go:4: the error\n", "--- FAIL: TestBad (", "FAIL\texample.com/m/bad\t", "ok  \texample.com/m/good\t"}, "of no interest"},
		{[]string{"go", "test", "-json", "./panics"}, 1, []string{"panic: the panic", "FAIL\texample.com/m/panics\t"}, "=== RUN"},
		{[]string{"go", "test", "-json", "./exits"}, 1, []string{"panic: unexpected call to os.Exit(0) during test", "FAIL\texample.com/m/exits\t"}, "=== RUN"},
		{[]string{"go", "test", "-json", "./broken"}, 1, []string{"the mistake", "FAIL\texample.com/m/broken [build failed]\n"}, "=== RUN"},
		{[]string{"sh", "-c", "echo 'skipped zig: no zig'; echo '{text}'; exit 3"}, 3, []string{"skipped zig: no zig\n{text}\n"}, "Action"},
		{[]string{"sh", "-c", "kill -9 $$"}, 1, nil, "Action"},
	} {
		var out bytes.Buffer
		code, err := run(&out, file, c.command)
		if code != c.code || err != nil {
			t.Errorf("%q: exit %d, want %d: %v", c.command, code, c.code, err)
		}
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q: missing %q in\n%s", c.command, want, &out)
			}
		}
		if strings.Contains(out.String(), c.not) {
			t.Errorf("%q shows %q:\n%s", c.command, c.not, &out)
		}
	}
	if code, err := run(&bytes.Buffer{}, file, []string{"no-such-program"}); code == 0 || err == nil {
		t.Errorf("a missing program: exit %d, %v", code, err)
	}
	if code, err := run(&bytes.Buffer{}, filepath.Join(dir, "go.mod", "part"), []string{"true"}); code == 0 || err == nil {
		t.Errorf("a file that cannot be written: exit %d, %v", code, err)
	}

	var out bytes.Buffer
	const want = "Skipped:\n  no kubectl\n      example.com/m/good TestSkipped\n      example.com/m/good TestPart/a\n  no reason given\n      example.com/m/good TestNow\n  " +
		notRun + "\n      example.com/m/panics\n      example.com/m/exits\n      example.com/m/broken\n  zig: no zig\n\n" +
		"part wall CPU s tests skipped part 9 10 FAILED"
	code, err := show(&out, []string{file})
	list, table, _ := strings.Cut(out.String(), "\n\n")
	fields := strings.Fields(table)
	if got := list + "\n\n" + strings.Join(slices.Delete(fields, 7, 9), " "); code != 1 || err != nil || got != want { // without the times
		t.Errorf("%d %v:\n got %s\nwant %s", code, err, got, want)
	}
	if _, err := show(&out, []string{"absent"}); err == nil {
		t.Error("a file that is absent is no error")
	}
}

// TestRunWithinAnother: the inner command's tests are recorded, and its time is part of the outer one's.
func TestRunWithinAnother(t *testing.T) {
	file := filepath.Join(t.TempDir(), "part")
	t.Setenv(within, "another file")
	var out bytes.Buffer
	if code, err := run(&out, file, []string{"sh", "-c", "echo $" + within}); code != 0 || err != nil || out.String() != file+"\n" {
		t.Errorf("exit %d, %v: %s", code, err, &out)
	}
	t.Setenv(within, file)
	if code, err := run(&out, file, []string{"sh", "-c", "echo skipped zig: no zig; exit 3"}); code != 3 || err != nil {
		t.Errorf("exit %d, %v", code, err)
	}
	records, err := read(file)
	if err != nil || len(records) != 2 || records[0].Ended == nil || records[1].Action != "skip" {
		t.Errorf("%+v, %v", records, err)
	}
}

// TestShow shows the table of two parts, and a test that only one of them ran.
func TestShow(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"quick": `{"Action":"skip","Test":"p TestSlow","Reason":"takes minutes"}
{"Action":"pass","Test":"p TestQuick"}
{"Action":"skip","Test":"p TestZig","Reason":"no zig"}
{"Ended":{"Wall":61000000000,"CPU":1500000000,"Code":0}}
`,
		"long": `{"Action":"pass","Test":"p TestSlow"}
{"Action":"fail","Test":"p TestZig"}
{"Ended":{"Wall":1000000000,"CPU":1000000000,"Code":1}}
{"Ended":{"Wall":2000000000,"CPU":3000000000,"Code":0}}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	const want = "No test was skipped.\n\n" +
		"   part  wall  CPU s  tests  skipped        \n  quick  1m1s      2      1        2      ok\n   long    3s      4      2        0  FAILED\n"
	if code, err := show(&out, []string{filepath.Join(dir, "quick"), filepath.Join(dir, "long")}); code != 1 || err != nil || out.String() != want {
		t.Errorf("%d %v:\n got %q\nwant %q", code, err, &out, want)
	}
	out.Reset()
	if code, err := show(&out, []string{filepath.Join(dir, "quick")}); code != 0 || err != nil || !strings.HasPrefix(out.String(), "Skipped:\n  no zig\n      p TestZig\n  takes minutes\n      p TestSlow\n") {
		t.Errorf("%d %v: %s", code, err, &out)
	}
}
