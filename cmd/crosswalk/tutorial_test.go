package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestTutorial does what docs/tutorial.md says, word for word, with the two programs alone, in a
// network of its own: the files of the page are saved, and its commands are run in one shell.
func TestTutorial(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the gateway")
	}
	if err := exec.Command("unshare", "-rnpf", "ip", "link", "set", "lo", "up").Run(); err != nil {
		t.Skipf("no network of its own: %v", err)
	}
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip(err)
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "tutorial.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir, programs := t.TempDir(), t.TempDir()
	build := exec.Command("go", "build", "-o", programs, "./cmd/gateway", "./cmd/crosswalk")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	script := []string{"set -e", "trap 'kill $(jobs -p)' EXIT", "ip link set lo up", "cd '" + dir + "'"}
	names := map[string][]string{"yaml": {"crd.yaml", "rules.yaml"}, "json": {"review.json"}}
	commands := 0
	for _, block := range regexp.MustCompile("(?ms)^( *)```(\\w+)\n(.*?)^ *```").FindAllStringSubmatch(string(page), -1) {
		text := regexp.MustCompile("(?m)^"+block[1]).ReplaceAllString(block[3], "")
		if block[2] == "sh" {
			commands++
			script = append(script, text)
			if strings.Contains(text, "gateway ") { // a person takes longer
				script = append(script, "for i in $(seq 600); do [ -s ca.pem ] && (: </dev/tcp/localhost/9443) 2>/dev/null && break; sleep 0.1; done")
			}
			continue
		}
		name := names[block[2]][0]
		names[block[2]] = names[block[2]][1:]
		saved := filepath.Join(programs, name)
		write(t, saved, text)
		script = append(script, "cp '"+saved+"' "+name)
	}
	if commands != 5 {
		t.Errorf("the tutorial has %d commands", commands)
	}
	shell := exec.CommandContext(t.Context(), "unshare", "-rnpf", "--kill-child", "bash", "-c", strings.Join(script, "\n"))
	shell.WaitDelay = time.Second // for a gateway that outlives the shell
	shell.Env = append(os.Environ(), "PATH="+programs+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := shell.CombinedOutput()
	want := regexp.MustCompile(`(?m)^ {7}(\{.*)$`).FindStringSubmatch(string(page))
	if err != nil || want == nil || !strings.Contains(string(out), want[1]) || !strings.Contains(string(out), `"status":"Success"`) {
		t.Errorf("%v\n%s\nthe answer does not have %v", err, out, want)
	}
}
