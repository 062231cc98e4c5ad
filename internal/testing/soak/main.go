// Command soak is what "make soak" runs: for a given time, clients convert through a gateway with
// several owners. The modules of one are replaced and rolled back. After a sixth
// of the time two owners attack the others with busy teams and hostile modules, definitions, names,
// contents and clients. It prints the resources of the process as time passes, and a verdict for each
// honest owner. It fails if a good conversion or a heartbeat failed, if a heartbeat was rejected, if
// the attack makes honest reviews slower or makes gaps between them, if a kubelet would restart the
// gateway, if memory is above the documented bound, if anything keeps growing, or if something that it
// is there to exercise never happened.
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
	attacks := newAttacks()
	chosen := flag.String("attacks", "", "the attacks to run, separated by commas (default all): "+attacks.String())
	at := flag.String("at", "", "for the process of the hostile clients: the addresses of a gateway and the file of its CA")
	monitored := flag.String("monitor", "", "for the process of the heartbeats: the same")
	answer := flag.String("reference", "", "for the process of the reference: the file for its CA")
	flag.Parse()
	if err := attacks.choose(*chosen); err != nil {
		fmt.Fprintln(os.Stderr, "make soak:", err)
		os.Exit(2)
	}
	attack := func(ctx context.Context) error { return soak(ctx, *length, *every, *clients, attacks) }
	switch {
	case *at != "":
		attack = func(ctx context.Context) error { return attackFrom(ctx, *at, attacks) }
	case *monitored != "":
		attack = func(ctx context.Context) error { return beatAt(ctx, *monitored, os.Stdin, os.Stdout) }
	case *answer != "":
		attack = func(ctx context.Context) error { return serveReference(ctx, *answer) }
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := attack(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "make soak:", err)
		os.Exit(1)
	}
}

// baselineShare is the part of the time before the attack: a sixth.
const baselineShare = 6

func soak(ctx context.Context, length, every time.Duration, clients int, a attacks) (err error) {
	dir, err := os.MkdirTemp("", "crosswalk-soak-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	d, err := newDirectories(filepath.Join(dir, "modules"), a)
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
	before, err := readCPU(g)
	if err != nil {
		return err
	}
	m, err := g.startMonitor()
	if err != nil {
		return err
	}
	stopMonitor := sync.OnceValue(m.stop)
	defer func() { _ = stopMonitor() }()
	var p probe
	var probing sync.WaitGroup
	probing.Go(func() { p.run(run, g) }) // ends with run
	loaded, changed := t.load(run, g, clients), d.keepChanging(run)

	fmt.Println("baseline: good modules, which are replaced, and their clients")
	calm, done := context.WithTimeout(run, length/baselineShare)
	_, err = watchProcess(calm, g, every, &t, d)
	done()
	if err != nil {
		return err
	}
	baseline, err := m.take()
	if err != nil {
		return err
	}

	fmt.Println("attack: a busy owner and a hostile one: busy teams, hostile modules, definitions and clients as well")
	if err := errors.Join(d.placeBusy(), d.attack()); err != nil {
		return err
	}
	clientsEnded, err := g.startAttacker(a)
	if err != nil {
		return err
	}
	attacked, rewritten := t.attack(run, g, d.hostile, a.of(modules)), d.keepAttacking(run)
	samples, err := watchProcess(run, g, every, &t, d)
	attack, failed := m.take()
	err = errors.Join(err, failed, clientsEnded())
	loaded()
	attacked()
	probing.Wait()
	err = errors.Join(err, stopMonitor())
	after, failed := readCPU(g) // with the time of the attacker and of the heartbeats, which have ended
	err = errors.Join(err, failed)
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
	others := after.others(before)
	fmt.Printf("other processes used %.0f %% of the processors\n", 100*others)
	all := append(a.verdict(), p.verdict(others))
	beats := newHeartbeats()
	behind := delays(beats, baseline, attack)
	for i, beat := range beats {
		all = append(all, beat.compare(baseline[i], attack[i], behind[beat.objects], others)...)
	}
	all = append(all, verdict(&t, d.swaps.Load(), samples, end, others)...)
	printAll(os.Stdout, all)
	return failure(all)
}
