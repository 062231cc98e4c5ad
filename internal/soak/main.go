// Command soak is what "make soak" runs: for a given time it has clients convert through a gateway whose modules are replaced,
// rolled back and tried as candidates again and again, while hostile modules do their worst beside them. It prints what the
// process holds as time passes, and fails if one good conversion failed, if anything keeps growing, or if something that it is
// there to exercise never happened.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

func main() {
	length := flag.Duration("for", 10*time.Minute, "how long")
	every := flag.Duration("every", 10*time.Second, "how often to print what the process holds")
	clients := flag.Int("clients", 4, "clients of the good modules")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := soak(ctx, *length, *every, *clients); err != nil {
		fmt.Fprintln(os.Stderr, "make soak:", err)
		os.Exit(1)
	}
}

func soak(ctx context.Context, length, every time.Duration, clients int) (err error) {
	dir, err := os.MkdirTemp("", "crosswalk-soak-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	d, err := newDirectories(filepath.Join(dir, "modules"), filepath.Join(dir, "candidates"))
	if err != nil {
		return err
	}
	g, err := startGateway(ctx, dir, d)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.stop()) }()

	run, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	var t tally
	wait := t.load(run, g, d.hostile, clients)
	changed := d.keepChanging(run)
	samples, err := watchProcess(run, g, every, &t, d)
	wait()
	if err := errors.Join(err, changed()); err != nil {
		return err
	}
	end, err := g.metrics()
	if err != nil {
		return err
	}
	return verdict(&t, d.swaps.Load(), samples, end)
}
