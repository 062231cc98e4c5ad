// Command soak is what "make soak" runs: for a given time, clients convert through a gateway whose
// modules are replaced, rolled back and run as shadow modules. After a sixth of the time busy teams
// and hostile modules, definitions and clients join them. It prints the resources of the process as
// time passes. It fails if a good conversion or a heartbeat failed, if a heartbeat was rejected, if
// the attack makes gaps between heartbeats or a kubelet would restart the gateway, if memory is above the documented bound, if anything
// keeps growing, or if something that it is there to exercise never happened.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"
)

func main() {
	length := flag.Duration("for", 10*time.Minute, "how long")
	every := flag.Duration("every", 10*time.Second, "how often to print the resources of the process")
	clients := flag.Int("clients", 4, "clients of the good modules")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := soak(ctx, *length, *every, *clients); err != nil {
		fmt.Fprintln(os.Stderr, "make soak:", err)
		os.Exit(1)
	}
}

// baselineShare is the part of the time before the attack: a sixth.
const baselineShare = 6

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
	var h heartbeat
	var beating sync.WaitGroup
	before, err := readCPU(g)
	if err != nil {
		return err
	}
	var p probe
	beating.Go(func() { h.run(run, g) }) // ends with run
	beating.Go(func() { p.run(run, g) }) // ends with run
	loaded, changed := t.load(run, g, clients), d.keepChanging(run)

	fmt.Println("baseline: good modules, which are replaced, and their clients")
	calm, done := context.WithTimeout(run, length/baselineShare)
	_, err = watchProcess(calm, g, every, &t, d)
	done()
	if err != nil {
		return err
	}
	baseline := h.take()

	fmt.Println("attack: busy teams, hostile modules, definitions and clients as well")
	if err := errors.Join(d.placeBusy(), d.attack()); err != nil {
		return err
	}
	attacked, connected, busy, rewritten := t.attack(run, g, d.hostile), g.attack(run), g.busy(run), d.keepAttacking(run)
	samples, err := watchProcess(run, g, every, &t, d)
	attack := h.take()
	after, failed := readCPU(g)
	err = errors.Join(err, failed)
	loaded()
	attacked()
	connected()
	busy()
	beating.Wait()
	if err := errors.Join(err, changed(), rewritten()); err != nil {
		return err
	}
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		fmt.Printf("load average on %d CPUs: %s", runtime.NumCPU(), load)
	}
	end, err := g.metrics()
	if err != nil {
		return err
	}
	return errors.Join(compare(baseline, attack, after.others(before)), p.verdict(after.others(before)), verdict(&t, d.swaps.Load(), samples, end))
}
