// Package engines runs test/gitops, which applies manifests with the libraries of Flux and Argo CD.
package engines

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Names are the engines that test/gitops has.
var Names = []string{"flux", "argocd-server-side", "argocd-client-side"}

// Few is the number of manifests of an engine where the number does not matter.
const Few = 12

// goVersion is the version of Go that the engines' modules require.
const goVersion = "go1.27.3"

// Build builds the program, in a checkout of the repository. Its module has the dependencies of the
// engines.
func Build(ctx context.Context, root, binary string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-o", binary, ".")
	cmd.Dir, cmd.Env = filepath.Join(root, "test", "gitops"), append(os.Environ(), "CGO_ENABLED=0", "GOTOOLCHAIN="+goVersion)
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building test/gitops: %w\n%s", err, output)
	}
	return nil
}

// Engine is a process of the program, with manifests of its own.
type Engine struct {
	Name string
	Dir  string // of its manifests
	Each int    // the number of its manifests
	// Rounds is the number of rounds so far. Read it while no round runs.
	Rounds int

	sync.Mutex // held during a round; others hold it to write between rounds

	cmd *exec.Cmd
	in  io.WriteCloser
	out *json.Decoder
	log strings.Builder
}

// Round is a line of the program's output.
type Round struct {
	Objects                int
	Drift, Changed, Errors []string

	each int // of the engine
}

// Quiet reports whether the round found all objects as they should be.
func (r Round) Quiet() bool {
	return r.Objects == r.each && len(r.Drift)+len(r.Changed)+len(r.Errors) == 0
}

// Start writes the manifests of an engine to a directory, CronTabs at v1, and starts the engine.
// Call Stop when done.
func Start(ctx context.Context, program, name, kubeconfig, dir string, each int) (*Engine, error) {
	e := &Engine{Name: name, Dir: filepath.Join(dir, name), Each: each}
	if err := os.Mkdir(e.Dir, 0o755); err != nil {
		return nil, err
	}
	for i := range each {
		text := fmt.Sprintf(`# The schedule of %[1]s.
apiVersion: stable.example.com/v1
kind: CronTab
metadata:
  name: %[1]s
  namespace: default
  labels:
    tier: gold
    app: %[2]s
spec:
  cronSpec: "0 %[3]d * * *"
  image: three
`, e.Object(i), name, i%24)
		if err := os.WriteFile(e.file(i), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	e.cmd = exec.CommandContext(ctx, program, "--engine", name, "--kubeconfig", kubeconfig, "--dir", e.Dir)
	var err error
	if e.in, err = e.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	e.cmd.Stderr = &e.log
	e.out = json.NewDecoder(bufio.NewReader(out))
	return e, e.cmd.Start()
}

// Stop ends the engine, and returns the end of its log.
func (e *Engine) Stop() (log string) {
	_ = e.in.Close()
	_ = e.cmd.Wait()
	return e.log.String()[max(0, e.log.Len()-4096):]
}

// Object returns the name of an object.
func (e *Engine) Object(i int) string { return fmt.Sprintf("%s-%d", e.Name, i) }

func (e *Engine) file(i int) string { return filepath.Join(e.Dir, e.Object(i)+".yaml") }

// Edit replaces a text in a manifest that has it.
func (e *Engine) Edit(i int, before, after string) error {
	text, err := os.ReadFile(e.file(i))
	if err != nil {
		return err
	}
	if !strings.Contains(string(text), before) {
		return fmt.Errorf("the manifest does not have %q:\n%s", before, text)
	}
	return os.WriteFile(e.file(i), []byte(strings.Replace(string(text), before, after, 1)), 0o644)
}

// Round has the engine compare and apply its manifests once.
func (e *Engine) Round() Round {
	e.Lock()
	defer e.Unlock()
	return e.Locked()
}

// Locked is Round for a caller that holds the lock.
func (e *Engine) Locked() (r Round) {
	e.Rounds++
	r.each = e.Each
	_, err := fmt.Fprintln(e.in)
	if err == nil {
		err = e.out.Decode(&r)
	}
	if err != nil {
		r.Errors = append(r.Errors, ended+err.Error())
	}
	return r
}

// ended begins the error of an engine that does not run.
const ended = "the engine ended: "

// Always has engines work until stop is called, and calls others between an engine's rounds. failed
// receives each round that is not quiet, and each error of others.
func Always(all []*Engine, others func(*Engine) error, failed func(e *Engine, r Round, err error)) (stop func()) {
	end := make(chan struct{})
	var wait sync.WaitGroup
	for _, e := range all {
		wait.Go(func() { // ends when stop is called
			for {
				select {
				case <-end:
					return
				case <-time.After(time.Duration(e.Each) * 10 * time.Millisecond): // the migration needs the CPU, too
				}
				e.Lock()
				r, err := e.Locked(), others(e)
				e.Unlock()
				if !r.Quiet() || err != nil {
					failed(e, r, err)
				}
				if len(r.Errors) > 0 && strings.HasPrefix(r.Errors[len(r.Errors)-1], ended) {
					return
				}
			}
		})
	}
	return sync.OnceFunc(func() {
		close(end)
		wait.Wait()
	})
}
