package main

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// reviewFiles is the most files that one review passes: a reader who follows it opens them.
const reviewFiles = 60

// TestFilesOfReview counts the files of which every review executes a block, in a gateway that serves
// one module. make review-files prints them.
func TestFilesOfReview(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a gateway with counters")
	}
	const reviews = 3000
	program := filepath.Join(t.TempDir(), "gateway")
	build := exec.Command("go", "build", "-cover", "-covermode=atomic", "-coverpkg=./...", "-o", program, "./cmd/gateway")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	idle, busy := countBlocks(t, program, 0), countBlocks(t, program, reviews)
	files := map[string]bool{}
	for block, n := range busy {
		if file, _, _ := strings.Cut(block, ":"); n-idle[block] >= reviews {
			files[file] = true
		}
	}
	t.Logf("a review passes %d files:\n%s", len(files), strings.Join(slices.Sorted(maps.Keys(files)), "\n"))
	if len(files) > reviewFiles || len(files) < reviewFiles/2 {
		t.Errorf("a review passes %d files, at most %d", len(files), reviewFiles)
	}
}

// countBlocks runs a gateway for some reviews, and returns how often it executed each block.
func countBlocks(t *testing.T, program string, reviews int) map[string]int {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("GOCOVERDIR", dir)
	p := startProgram(t, program, "--drain-delay", "0s")
	p.install(t, "one.wasm")
	p.waitReady(t)
	for i := range reviews {
		code, text, err := p.post(fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"1","desiredAPIVersion":"example.com/v2",`+
			`"objects":[{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"%d","namespace":"default"},"spec":{"from":"v1"}}]}}`, i))
		if err != nil || code != http.StatusOK || !strings.Contains(text, `"status":"Success"`) {
			t.Fatalf("%d %s %v", code, text, err)
		}
	}
	if err := p.signal(t, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	profile := filepath.Join(dir, "profile")
	if out, err := exec.Command("go", "tool", "covdata", "textfmt", "-i", dir, "-o", profile).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(profile)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 { // file.go:1.2,3.4 statements count
			n, err := strconv.Atoi(f[2])
			if err != nil {
				t.Fatal(err)
			}
			counts[f[0]] += n
		}
	}
	return counts
}
