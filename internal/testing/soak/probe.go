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
func (p *probe) verdict(others float64) error {
	fmt.Printf("%d probes, %d failed, %d in a row; the last: %v\n", p.count, p.failed, p.longest, p.last)
	if p.longest < mostProbing {
		return nil
	}
	if others > mostOthers {
		fmt.Println("NOT JUDGED, because other processes kept the machine busy: the probes")
		return nil
	}
	return fmt.Errorf("%d probes in a row failed; the last: %w", p.longest, p.last)
}
