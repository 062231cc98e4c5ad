package demo

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/browser"
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
	picture := browser.Picture{Address: "http://" + d.gateway.Admin, File: d.statusPage, Dir: dir, Width: 1240, Height: 450, Flags: []string{"--hide-scrollbars"}}
	if _, err := picture.Take(ctx); err != nil {
		return fmt.Errorf("the picture of the status page: %w", err)
	}
	return nil
}
