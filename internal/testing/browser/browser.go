// Package browser takes pictures of pages with chromium.
package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// Picture is one picture.
type Picture struct {
	Address       string
	File          string // of the picture, in PNG
	Dir           string // for the browser's own files, which it may still write after Take
	Width, Height int
	Flags         []string // more of chromium's
}

// Find returns an error if there is no chromium.
func Find() error {
	_, err := exec.LookPath("chromium")
	return err
}

// Take draws the page as it is after twelve seconds of its own time. It returns the browser's log.
func (p Picture) Take(ctx context.Context) (log []byte, err error) {
	flags := []string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--user-data-dir=" + p.Dir,
		fmt.Sprintf("--window-size=%d,%d", p.Width, p.Height), "--virtual-time-budget=12000", "--screenshot=" + p.File}
	cmd := exec.CommandContext(ctx, "chromium", append(append(flags, p.Flags...), p.Address)...)
	cmd.Env = append(os.Environ(), "HOME="+p.Dir, "TMPDIR="+p.Dir)
	cmd.WaitDelay = 10 * time.Second // its helper processes may outlive it and keep its stderr open
	log, err = cmd.CombinedOutput()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("%w: %s", err, log)
	}
	return log, err
}
