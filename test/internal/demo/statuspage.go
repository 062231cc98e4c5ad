package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// photograph draws the gateway's status page in a browser, if that is asked for, after two minutes
// of reads: the page's curves have a point for each ten seconds.
func (d *demo) photograph(ctx context.Context) error {
	if d.statusPage == "" {
		return nil
	}
	reads := d.startReads(ctx)
	select {
	case <-time.After(2 * time.Minute):
	case <-ctx.Done():
	}
	if err := reads.end(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(d.dir, "browser-")
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
		"--user-data-dir="+dir, "--window-size=1240,1120", "--virtual-time-budget=12000", "--screenshot="+d.statusPage, "http://"+d.gateway.Admin)
	cmd.Env = append(os.Environ(), "HOME="+dir, "TMPDIR="+dir)
	cmd.WaitDelay = 10 * time.Second // its helper processes may outlive it and keep its stderr open
	if out, err := cmd.CombinedOutput(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return fmt.Errorf("the picture of the status page: %w: %s", err, out)
	}
	return nil
}
