package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/programs"
)

// TestTutorial does what docs/author/tutorial.md says, word for word, with the two programs alone, in a
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
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "author", "tutorial.md"))
	if err != nil {
		t.Fatal(err)
	}
	release, home := releasedPrograms(t), t.TempDir()
	script, reviews := tutorialScript(t, string(page), release)
	shell := exec.CommandContext(t.Context(), "unshare", "-rnpf", "--kill-child", "bash", "-c", script)
	shell.WaitDelay = time.Second // for a gateway that outlives the shell
	shell.Env = append(os.Environ(), "HOME="+home)
	out, err := shell.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	answers := regexp.MustCompile(`(?m)^ {7}(\{.*)$`).FindAllStringSubmatch(string(page), -1)
	for _, want := range answers {
		if !strings.Contains(string(out), want[1]) {
			t.Errorf("no answer has %s\n%s", want[1], out)
		}
	}
	if len(answers) != reviews || !strings.Contains(string(out), `"status":"Success"`) || strings.Contains(string(out), `"status":"Failed"`) {
		t.Errorf("%d answers for %d reviews\n%s", len(answers), reviews, out)
	}
}

// releasedPrograms builds both programs, with their names in a release and a SHA256SUMS that has
// more files, and returns their directory.
func releasedPrograms(t *testing.T) string {
	t.Helper()
	release := t.TempDir()
	for _, name := range []string{"gateway", "crosswalk"} { // with their names in a release
		program, err := programs.Build(t.Context(), filepath.Join("..", ".."), name)
		if err == nil {
			err = os.Link(program, filepath.Join(release, name+"-v0.1.0-linux-amd64"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	sums := exec.Command("bash", "-c", "sha256sum * >SHA256SUMS && echo '"+strings.Repeat("0", 64)+"  crosswalk-v0.1.0-darwin-arm64' >>SHA256SUMS")
	sums.Dir = release
	if out, err := sums.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return release
}

// tutorialScript returns the commands of the page as a script, which saves the page's files, and
// the number of reviews that it sends. A person types more slowly: the script waits before them.
func tutorialScript(t *testing.T, page, release string) (text string, reviews int) {
	t.Helper()
	dir, files, commands := t.TempDir(), t.TempDir(), 0
	script := []string{"set -e", "trap 'kill $(jobs -p) 2>/dev/null || :' EXIT", "ip link set lo up", "cd '" + release + "'"}
	names := map[string][]string{"yaml": {"crd.yaml", "rules.yaml"}, "json": {"review.json"}}
	for _, block := range regexp.MustCompile("(?ms)^( *)```(\\w+)\n(.*?)^ *```").FindAllStringSubmatch(page, -1) {
		text := regexp.MustCompile("(?m)^"+block[1]).ReplaceAllString(block[3], "")
		if block[2] != "sh" {
			name := names[block[2]][0]
			names[block[2]] = names[block[2]][1:]
			saved := filepath.Join(files, name)
			writeFile(t, saved, text)
			script = append(script, "cp '"+saved+"' "+name)
			continue
		}
		switch {
		case strings.Contains(text, "sha256sum"): // in the directory with the downloaded files
			text += "cd '" + dir + "'\n"
		case strings.Contains(text, "gateway "): // a person takes longer
			text += "for i in $(seq 600); do [ -s ca.pem ] && (: </dev/tcp/localhost/9443) 2>/dev/null && break; sleep 0.1; done"
		case strings.Contains(text, "curl") && reviews > 0: // likewise: the gateway notices the new file
			text = "for i in $(seq 600); do " + strings.TrimSpace(text) + " | tee answer; grep -q navy answer && break; sleep 0.1; done"
		}
		if reviews == 0 && !strings.Contains(text, "sha256sum") {
			commands++
		}
		if strings.Contains(text, "curl") {
			reviews++
		}
		script = append(script, text)
	}
	if commands > 5 || reviews != 2 {
		t.Errorf("the tutorial has %d commands up to the first of %d conversions", commands, reviews)
	}
	return strings.Join(script, "\n"), reviews
}
