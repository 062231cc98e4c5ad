package e2e

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// throughRegistry pushes each version to a registry. "crosswalk pull --watch" follows the tag and
// writes the directory.
func throughRegistry(t *testing.T, dir string) func(content []byte) error {
	t.Helper()
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	ref := strings.TrimPrefix(server.URL, "http://") + "/team/modules:v1"
	crosswalk, err := shared.tool()
	if err != nil {
		t.Fatal(err)
	}
	docker := "DOCKER_CONFIG=" + t.TempDir()
	from := t.TempDir()
	push := func(content []byte) error {
		if err := os.WriteFile(filepath.Join(from, stampFile), content, 0o600); err != nil {
			return err
		}
		cmd := exec.Command(crosswalk, "push", ref, from)
		cmd.Env = append(os.Environ(), docker)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("push: %w: %s", err, out)
		}
		return nil
	}
	first := true
	return func(content []byte) error {
		if err := push(content); err != nil || !first {
			return err
		}
		first = false
		ctx, stop := context.WithCancel(context.Background())
		cmd := exec.CommandContext(ctx, crosswalk, "pull", "--watch", "1s", ref, dir)
		cmd.Env = append(os.Environ(), docker)
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			stop()
			return err
		}
		t.Cleanup(func() { stop(); _ = cmd.Wait() })
		eventually.Succeeds(t, "pull to write the module", func() error { // the gateway is ready without modules, too
			_, err := os.Stat(filepath.Join(dir, stampFile))
			return err
		})
		return nil
	}
}

// padded is a module with a custom section that does not compress, of so many bytes; 0 for none.
func padded(module []byte, size int) []byte {
	if size == 0 {
		return module
	}
	random := rand.NewChaCha8([32]byte{1})
	section := make([]byte, size)
	_, _ = random.Read(section)
	section[0], section[1] = 1, 'p' // the section's name
	module = append(module, 0)      // a custom section
	module = binary.AppendUvarint(module, uint64(size))
	return append(module, section...)
}
