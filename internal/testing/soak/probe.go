package main

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// The probe of a kubelet with its default time, and the failures in a row after which it restarts
// a pod.
const (
	probeTime   = time.Second
	mostProbing = 3
)

// probe asks for /healthz every second, on a new connection, like a kubelet.
type probe struct {
	count, failed int
	row, longest  int // failures one after the other
	last          error
}

// run probes until ctx ends.
func (p *probe) run(ctx context.Context, g *gateway) {
	client := http.Client{Timeout: probeTime, Transport: &http.Transport{DisableKeepAlives: true}}
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
		resp, err := client.Get(g.admin + "/healthz")
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				err = fmt.Errorf("/healthz answers %s", resp.Status)
			}
		}
		p.count++
		if p.row++; err == nil {
			p.row = 0
		} else {
			p.failed, p.last = p.failed+1, err
		}
		p.longest = max(p.longest, p.row)
	}
}

// verdict fails when a kubelet would have restarted the gateway. It is not judged on a busy machine,
// like the gaps between heartbeats.
func (p *probe) verdict(others float64) ruling {
	const what = "probes of a kubelet"
	switch {
	case p.longest < mostProbing:
		return holds("%s: %d, %d failed, %d in a row", what, p.count, p.failed, p.longest)
	case others > mostOthers:
		return unjudged(what, "%d in a row failed, but %s", p.longest, busyMachine(others))
	}
	return fails(what, "%d in a row failed; the last: %w", p.longest, p.last)
}
