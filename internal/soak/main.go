// Command soak is what "make soak" runs: for a given time it has clients convert through a gateway whose modules are replaced
// again and again while hostile modules do their worst beside them. It prints what the process holds as time passes, and
// fails if one good conversion failed or if anything keeps growing.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"text/tabwriter"
	"time"
)

func main() {
	length := flag.Duration("for", 10*time.Minute, "how long")
	every := flag.Duration("every", 10*time.Second, "how often to print what the process holds")
	clients := flag.Int("clients", 4, "clients of the good module")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := soak(ctx, *length, *every, *clients); err != nil {
		fmt.Fprintln(os.Stderr, "make soak:", err)
		os.Exit(1)
	}
}

const goodFile = "CronTab.stable.example.com_v1_v2.wasm"

// tally counts what the clients saw.
type tally struct {
	good, goodFailed, hostile, hostileUnanswered, swaps atomic.Int64
	firstFailure                                        atomic.Pointer[string]
}

func (t *tally) fail(what string) {
	t.goodFailed.Add(1)
	t.firstFailure.CompareAndSwap(nil, &what)
}

func soak(ctx context.Context, length, every time.Duration, clients int) error {
	dir, err := os.MkdirTemp("", "crosswalk-soak-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	modules := filepath.Join(dir, "modules")
	if err := os.Mkdir(modules, 0o755); err != nil {
		return err
	}
	good, err := filepath.Glob("bin/plugins/*/" + goodFile)
	if err != nil || len(good) == 0 {
		return errors.New("no converters in bin/plugins: run make plugins")
	}
	kinds, err := placeHostile(modules)
	if err != nil {
		return err
	}
	if err := place(good[0], filepath.Join(modules, goodFile)); err != nil {
		return err
	}
	g, err := startGateway(ctx, dir, modules)
	if err != nil {
		return err
	}
	defer g.stop()

	run, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	var t tally
	var wg sync.WaitGroup
	start := func(f func()) {
		wg.Add(1)
		go func() { // ends with run
			defer wg.Done()
			for run.Err() == nil {
				f()
			}
		}()
	}
	for range clients {
		start(func() {
			answer, err := g.convert(run, goodReview)
			switch {
			case run.Err() != nil:
			case err != nil:
				t.fail(err.Error())
			case !strings.Contains(answer, `"status":"Success"`):
				t.fail(answer)
			default:
				t.good.Add(1)
			}
		})
	}
	for i := range 2 {
		n := i
		start(func() {
			review := strings.NewReplacer("KIND", kinds[n%len(kinds)]).Replace(hostileReview)
			n += 2
			answer, err := g.convert(run, review)
			switch {
			case run.Err() != nil:
			case err != nil || !strings.Contains(answer, `"uid":"soak"`):
				t.hostileUnanswered.Add(1)
			default:
				t.hostile.Add(1)
			}
		})
	}
	swap := 0
	start(func() {
		// With one language built, the swap alternates a file with itself plus a custom section, which is another digest.
		if err := placeVariant(good[swap%len(good)], filepath.Join(modules, goodFile), swap); err == nil {
			t.swaps.Add(1)
		}
		swap++
		select {
		case <-time.After(2 * time.Second):
		case <-run.Done():
		}
	})
	samples := watchProcess(run, g.pid(), every, &t)
	wg.Wait()
	return verdict(&t, samples)
}

// watchProcess prints a line every so often until ctx ends, and returns the samples.
func watchProcess(ctx context.Context, pid int, every time.Duration, t *tally) []sample {
	w := tabwriter.NewWriter(os.Stdout, 10, 0, 2, ' ', tabwriter.AlignRight)
	line := func(cells ...any) {
		for _, c := range cells {
			fmt.Fprintf(w, "%v\t", c)
		}
		fmt.Fprintln(w)
		w.Flush()
	}
	line("after", "RSS MiB", "threads", "files", "maps", "good", "failed", "hostile", "unanswered", "swaps")
	began := time.Now()
	var samples []sample
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return samples
		case <-tick.C:
		}
		s, err := sampleOf(pid)
		if err != nil {
			t.fail("the gateway has gone: " + err.Error())
			return samples
		}
		s.after = time.Since(began)
		samples = append(samples, s)
		line(s.after.Round(time.Second), s.rss>>20, s.threads, s.files, s.maps,
			t.good.Load(), t.goodFailed.Load(), t.hostile.Load(), t.hostileUnanswered.Load(), t.swaps.Load())
	}
}

// verdict fails when a good conversion failed, a hostile one was not answered, or the process held much more at the end than
// after the first third, by when everything has been done once.
func verdict(t *tally, samples []sample) error {
	if f := t.firstFailure.Load(); f != nil {
		return fmt.Errorf("%d good conversions failed; the first: %s", t.goodFailed.Load(), *f)
	}
	if n := t.hostileUnanswered.Load(); n > 0 {
		return fmt.Errorf("%d reviews of hostile modules had no answer", n)
	}
	if len(samples) < 6 {
		fmt.Println("too few samples to judge growth by")
		return nil
	}
	third := len(samples) / 3
	before, after := most(samples[third:2*third]), most(samples[2*third:])
	fmt.Printf("most held in the second third and in the last: RSS %d and %d MiB, threads %d and %d, files %d and %d, maps %d and %d\n",
		before.rss>>20, after.rss>>20, before.threads, after.threads, before.files, after.files, before.maps, after.maps)
	switch {
	case after.rss > before.rss+before.rss/5+16<<20:
		return errors.New("resident memory grows")
	case after.threads > before.threads+10:
		return errors.New("threads grow")
	case after.files > before.files+10:
		return errors.New("open files grow")
	case after.maps > before.maps+before.maps/5+50:
		return errors.New("memory maps grow")
	}
	fmt.Printf("%d good conversions, none failed; %d reviews of hostile modules, all answered; %d swaps\n", t.good.Load(), t.hostile.Load(), t.swaps.Load())
	return nil
}
