// Command soak is what "make soak" runs: for a given time, clients convert through a gateway with
// several owners. The modules of one are replaced, rolled back and run as shadow modules. After a sixth
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
	flag.Parse()
	if err := attacks.choose(*chosen); err != nil {
		fmt.Fprintln(os.Stderr, "make soak:", err)
		os.Exit(2)
	}
	attack := func(ctx context.Context) error { return soak(ctx, *length, *every, *clients, attacks) }
	if *at != "" {
		attack = func(ctx context.Context) error { return attackFrom(ctx, *at, attacks) }
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := attack(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "make soak:", err)
		os.Exit(1)
	}
}

// takeAll returns the summaries of all heartbeats since the last one.
func takeAll(beats []*heartbeat) (all []pulse) {
	for _, h := range beats {
		all = append(all, h.take())
	}
	return all
}

// baselineShare is the part of the time before the attack: a sixth.
const baselineShare = 6

func soak(ctx context.Context, length, every time.Duration, clients int, a attacks) (err error) {
	dir, err := os.MkdirTemp("", "crosswalk-soak-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	d, err := newDirectories(filepath.Join(dir, "modules"), filepath.Join(dir, "candidates"), a)
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
	beats := newHeartbeats()
	var beating sync.WaitGroup
	before, err := readCPU(g)
	if err != nil {
		return err
	}
	var p probe
	for _, h := range beats {
		beating.Go(func() { h.run(run, g) }) // ends with run
	}
	beating.Go(func() { p.run(run, g) }) // ends with run
	loaded, changed := t.load(run, g, clients), d.keepChanging(run)

	fmt.Println("baseline: good modules, which are replaced, and their clients")
	calm, done := context.WithTimeout(run, length/baselineShare)
	_, err = watchProcess(calm, g, every, &t, d)
	done()
	if err != nil {
		return err
	}
	baseline := takeAll(beats)

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
	attack := takeAll(beats)
	err = errors.Join(err, clientsEnded())
	loaded()
	attacked()
	beating.Wait()
	after, failed := readCPU(g) // with the time of the attacker, which has ended
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
	for i, h := range beats {
		all = append(all, h.compare(baseline[i], attack[i], others)...)
	}
	all = append(all, verdict(&t, d.swaps.Load(), samples, end, others)...)
	printAll(os.Stdout, all)
	return failure(all)
}
