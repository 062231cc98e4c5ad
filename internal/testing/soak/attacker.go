package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

// The hostile clients are a process of their own. Beside a thousand connections that begin, goroutines
// of the heartbeats would wait for their turn in this process, and the gateway would seem slow.

// startAttacker starts the process. The function that it returns ends it, waits for it, and counts the
// attacks that it did.
func (g *gateway) startAttacker(a attacks) (end func() error, err error) {
	var on []string
	for _, one := range a {
		if one.on {
			on = append(on, one.name)
		}
	}
	cmd, out, err := self("-attacks", strings.Join(on, ","), "-at", g.address())
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the hostile clients: %w", err)
	}
	return func() error {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		failed := a.count(out, os.Stdout)
		return errors.Join(failed, cmd.Wait())
	}, nil
}

// countMark begins a line with the name of an attack and a number.
const countMark = "attack "

// count adds the counts of another process, and copies its other lines.
func (a attacks) count(from io.Reader, to io.Writer) error {
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		var name string
		var n int64
		if !strings.HasPrefix(lines.Text(), countMark) {
			fmt.Fprintln(to, lines.Text())
		} else if _, err := fmt.Sscanf(lines.Text(), countMark+"%s %d", &name, &n); err != nil {
			return err
		} else {
			a.of(name).ran.Add(n)
		}
	}
	return lines.Err()
}

// attackFrom is the process: it attacks until ctx ends.
func attackFrom(ctx context.Context, at string, a attacks) error {
	g, err := gatewayAt(at)
	if err != nil {
		return err
	}
	connected, worked := g.attack(ctx, a), g.work(ctx, a)
	connected()
	worked()
	for _, one := range a {
		fmt.Printf("%s%s %d\n", countMark, one.name, one.ran.Load())
	}
	return nil
}
