package script

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pack packs a script of a directory.
func pack(t *testing.T, dir, name string) ([]byte, error) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Engine(); errors.Is(err, ErrNoEngine) {
		t.Skip(err)
	}
	read := func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, name)) }
	return Pack(t.Context(), name, text, read, func(_ uint32, text string) { t.Log(text) })
}

// TestPackEqualsNode compares modules with those that Node.js packs, to the byte.
func TestPackEqualsNode(t *testing.T) {
	for _, plugin := range []string{"crontab", "database"} {
		dir := filepath.Join("..", "..", "..", "plugins", plugin, "javascript")
		module, err := pack(t, dir, plugin+".js")
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), "node.wasm")
		packer := filepath.Join("..", "..", "..", "sdk", "javascript", "pack", "pack.js")
		if text, err := exec.Command("node", packer, filepath.Join(dir, plugin+".js"), "-o", out).CombinedOutput(); err != nil {
			t.Skipf("no packer in Node.js: %v: %s", err, text)
		}
		want, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(module, want) {
			t.Errorf("%s: the module has %d bytes and differs from that of Node.js, which has %d", plugin, len(module), len(want))
		}
	}
}

// TestPackFiles packs a script that imports other files.
func TestPackFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "main.js", `import { register } from "crosswalk-javascript"; import { name } from "./lib/name.js"; register("e.com/v1", "e.com/v2", (o) => { o.set("spec", name); });`)
	write(t, dir, "lib/name.js", `export { name } from "../other.mjs";`)
	write(t, dir, "other.mjs", `export const name = "x";`)
	if _, err := pack(t, dir, "main.js"); err != nil {
		t.Error(err)
	}
}

// TestPackErrors packs scripts that cannot be packed.
func TestPackErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`let x = ;`, "main.js"},
		{`throw new Error("no");`, "no"},
		{`import "lodash";`, `imports "lodash": only files with`},
		{`import "./missing.js";`, `the import of "missing.js"`},
	} {
		dir := t.TempDir()
		write(t, dir, "main.js", c.text)
		if _, err := pack(t, dir, "main.js"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want %s", c.text, err, c.want)
		}
	}
}

// TestPackEnds packs a script that does not end, with a context that does: because the time is over,
// or because somebody interrupted the command, which is not the script's fault.
func TestPackEnds(t *testing.T) {
	if _, err := Engine(); errors.Is(err, ErrNoEngine) {
		t.Skip(err)
	}
	for reason, want := range map[error]string{context.DeadlineExceeded: "the script did not end within", context.Canceled: context.Canceled.Error()} {
		ctx := &endingContext{Context: t.Context(), done: make(chan struct{}), reason: reason}
		log := func(uint32, string) { close(ctx.done) }
		_, err := Pack(ctx, "main.js", []byte(`import { log } from "crosswalk-javascript"; log.info("begun"); for (;;) ;`), nil, log)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v: the error is %v", reason, err)
		}
	}
}

// endingContext ends with reason when done is closed.
type endingContext struct {
	context.Context
	done   chan struct{}
	reason error
}

func (c *endingContext) Done() <-chan struct{} { return c.done }

func (c *endingContext) Err() error {
	select {
	case <-c.done:
		return c.reason
	default:
		return nil
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
