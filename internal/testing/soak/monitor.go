package main

import (
	"bufio"
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// The heartbeats are a process of their own, like an API server: in the process of the other honest
// clients they would wait for those, and the gateway would seem slow. A further process is the reference:
// it decodes each review and encodes it again, the least that a webhook of one's own does, and nobody
// attacks it. Its heartbeats show how long this machine lets anybody wait who does so much work.

// monitor is the process of the heartbeats.
type monitor struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// startMonitor starts the process with the heartbeats of newHeartbeats.
func (g *gateway) startMonitor() (*monitor, error) {
	cmd, out, err := self("-monitor", g.address())
	if err != nil {
		return nil, err
	}
	m := &monitor{cmd: cmd, out: bufio.NewReader(out)}
	if m.in, err = m.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := m.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the heartbeats: %w", err)
	}
	return m, nil
}

// take returns the summaries of all heartbeats since the last take, in the order of newHeartbeats.
func (m *monitor) take() (all []pulse, err error) {
	if _, err := io.WriteString(m.in, "take\n"); err != nil {
		return nil, fmt.Errorf("the heartbeats: %w", err)
	}
	line, err := m.out.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("the heartbeats: %w", err)
	}
	return all, json.Unmarshal(line, &all)
}

// stop ends the process and waits for it.
func (m *monitor) stop() error {
	_ = m.in.Close()
	return m.cmd.Wait()
}

// beatAt is the process: it sends heartbeats to a gateway and to the reference, and prints summaries
// as JSON for each line of its input, until that ends.
func beatAt(ctx context.Context, at string, in io.Reader, out io.Writer) error {
	g, err := gatewayAt(at)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "crosswalk-soak-reference-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r, end, err := startReference(filepath.Join(dir, "ca.crt"))
	if err != nil {
		return err
	}
	defer end()
	ctx, cancel := context.WithCancel(ctx)
	var beating sync.WaitGroup
	defer beating.Wait()
	defer cancel()
	beats := newHeartbeats()
	for _, h := range beats {
		to := g
		if h.owner == referenceOwner {
			to = r
		}
		beating.Go(func() { h.run(ctx, to) }) // ends with ctx
	}
	for lines := bufio.NewScanner(in); lines.Scan(); {
		var all []pulse
		for _, h := range beats {
			all = append(all, h.take())
		}
		if err := json.NewEncoder(out).Encode(all); err != nil {
			return err
		}
	}
	return nil
}

// referenceOwner stands for the owner of the heartbeat that the gateway does not answer.
const referenceOwner = "none (the reference)"

// startReference starts the process of the reference. The gateway that it returns is that process; end
// ends it.
func startReference(ca string) (g *gateway, end func(), err error) {
	cmd, out, err := self("-reference", ca)
	if err != nil {
		return nil, nil, err
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL // of the process of the heartbeats
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	end = func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }
	address, err := bufio.NewReader(out).ReadString('\n')
	if err == nil {
		g, err = gatewayAt(strings.TrimSpace(address) + ",," + ca)
	}
	if err != nil {
		end()
		return nil, nil, fmt.Errorf("starting the reference: %w", err)
	}
	return g, end, nil
}

// serveReference is that process: it writes its certificate to a file and prints its address.
func serveReference(ctx context.Context, ca string) error {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review any
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"status": "Success", "review": review})
	}))
	defer s.Close()
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := os.WriteFile(ca, text, 0o600); err != nil {
		return err
	}
	fmt.Println(s.Listener.Addr())
	<-ctx.Done()
	return nil
}

// address names a gateway for another process, and gatewayAt reads that.
func (g *gateway) address() string {
	return strings.Join([]string{g.listen, strings.TrimPrefix(g.admin, "http://"), g.ca}, ",")
}

func gatewayAt(at string) (*gateway, error) {
	parts := strings.SplitN(at, ",", 3)
	if len(parts) != 3 {
		return nil, errors.New("a gateway's address must be LISTEN,ADMIN,CA")
	}
	g := newGateway(parts[0], parts[1], parts[2])
	return g, g.trust()
}
