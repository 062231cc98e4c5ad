package lifecycle

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crosswalk-gateway/crosswalk/test/internal/engines"
	"github.com/crosswalk-gateway/crosswalk/test/internal/page"
)

// sizeVariable names the number of objects of TestRetireManyObjects. The engines have three in a hundred
// of them.
const sizeVariable = "CROSSWALK_OBJECTS"

// defaultSize is more than two pages of every list that plan and retire read.
const defaultSize = 1200

// size returns the number of objects.
func size(t *testing.T) int {
	t.Helper()
	text := os.Getenv(sizeVariable)
	if text == "" {
		return defaultSize
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 100 {
		t.Fatalf("$%s must be a number of 100 or more, and is %q", sizeVariable, text)
	}
	return n
}

// week is how often a manager applies in a week, if it does so every ten minutes. Nothing but the number
// of requests counts: neither side looks at a clock.
const week = 7 * 24 * 6

// TestRetireManyObjects retires v1 of a definition with many objects by the commands plan and retire, while
// three managers write and the libraries of Flux and Argo CD compare and apply some of the objects. No
// request fails, meanwhile and afterwards, no engine finds a difference, and all of them own their
// fields. docs/use/migrate.md shows the output. $CROSSWALK_OBJECTS is the number of objects. With
// $CROSSWALK_LONG each engine applies each of its objects as often as in a week after the retirement, not
// all of them together that often.
func TestRetireManyObjects(t *testing.T) {
	n := size(t)
	manifests := max(engines.Few, n/100) // manifests of an engine
	crons := n - len(engines.Names)*manifests
	l := begin(t, "garbage-collector-controller")
	must(t, each(t, crons, func(i int) error {
		if _, err := l.at("v1").Create(t.Context(), cronTab(i), metav1.CreateOptions{FieldManager: "scaler"}); err != nil {
			return err
		}
		return l.write(t, "old", "v1", i, 0)
	}))
	all := startEngines(t, l, manifests)
	l.attach(t)
	l.serve(t)
	must(t, each(t, crons, func(i int) error { return l.write(t, "new", "v2", i, 0) }))
	l.rounds(t, all, "v2 is served", "v1")

	output := l.crosswalk(t, "plan", l.name, "--remove", "v1", "--idle", "24h")
	contains(t, output,
		fmt.Sprintf("%d objects converted between v2, v1 and back", n),
		fmt.Sprintf("old (Apply) at v1: %d objects", crons), fmt.Sprintf("scaler (Update) at v1: %d objects", n),
		fmt.Sprintf("kustomize-controller (Apply) at v1: %d objects", manifests), fmt.Sprintf("argocd-controller (Apply) at v1: %d objects", manifests),
		"6  BLOCKED  stop serving v1", "remedy: move these clients to v2", "next is step 4: crosswalk retire "+l.name+" v1")

	// retire stops while the manifests are at v1, and ends when they have moved.
	retire := []string{"retire", l.name, "v1", "-f", filepath.Dir(all[0].Dir), "--rate", "500"}
	stop, stopEngines := l.writers(t, crons), l.always(t, all)
	output = l.finds(t, append(retire, "--idle", "24h")...)
	contains(t, output, fmt.Sprintf("%d objects rewritten", n), "all objects are stored in v2", "step 6 is BLOCKED", "argocd-client-side-0.yaml:2 names v1")
	shown(t, "crosswalk retire crontabs.stable.example.com v1", output)
	stopEngines()
	l.moveManifests(t, all)
	l.rounds(t, all, "the manifests are at v2", "v2")
	stopEngines = l.always(t, all)
	output = l.answers(t, "y\ny\n", append(retire, "--idle", "0s")...)
	contains(t, output, "stop serving v1? requests at v1 fail with 404 from then on. [y/N] ", "remove v1 and spec.conversion? a version that was removed does not come back", "8  DONE     remove v1")
	shown(t, "crosswalk retire -f deploy crontabs.stable.example.com v1", strings.ReplaceAll(output, "[y/N] ", "[y/N] y\n"))
	stopEngines()

	l.week(t, all, crons)
	for manager, rounds := range stop() {
		t.Logf("%s wrote %d times meanwhile", manager, rounds)
		if rounds == 0 {
			t.Errorf("%s did not write", manager)
		}
	}
	l.owned(t, crons)
	l.ownedByEngines(t, all)
}

// week lets every manager write as often as in a week after v1 is gone: those of the n objects that no
// engine has, with and without force, and each engine, with two managers who write its objects between
// the rounds.
func (l *life) week(t *testing.T, all []*engines.Engine, n int) {
	var wait sync.WaitGroup
	managers := []string{"old", "old!", "new", "new!", "scaler"}
	for m, manager := range managers {
		apart := m * n / len(managers) // an API server tries five times if others write the same object
		wait.Go(func() {               // ends after its writes
			failed := 0
			for i := range week {
				if err := l.write(t, manager, "v2", (apart+i)%n, i); err != nil {
					failed++
					t.Errorf("%s, after v1 was removed: %v", manager, err)
				}
			}
			t.Logf("after v1 was removed, %s wrote %d times, and %d writes failed", manager, week, failed)
		})
	}
	for _, e := range all {
		wait.Go(func() { // ends after its rounds
			rounds, failed := (week+e.Each-1)/e.Each, 0
			if os.Getenv("CROSSWALK_LONG") != "" {
				rounds = week
			}
			for range rounds {
				e.Lock()
				r, err := e.Locked(), l.writeOthers(t, e, "v2")
				e.Unlock()
				if !r.Quiet() || err != nil {
					failed++
					t.Errorf("%s, after v1 was removed: %+v, the other managers: %v", e.Name, r, err)
				}
			}
			t.Logf("after v1 was removed, %s compared and applied %d objects %d times, and %d rounds failed", e.Name, e.Each, rounds, failed)
		})
	}
	wait.Wait()
}

// shown asserts that docs/use/migrate.md shows the output of a command.
func shown(t *testing.T, command, output string) {
	t.Helper()
	blocks, err := page.Blocks("docs", "use", "migrate.md")
	must(t, err)
	if err := blocks[command].Compare(output); err != nil {
		t.Error(err)
	}
}

// contains asserts that an output contains some texts.
func contains(t *testing.T, output string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(output, want) {
			t.Errorf("the output does not contain %q", want)
		}
	}
}

// each calls work for each object, for some at the same time.
func each(t *testing.T, n int, work func(i int) error) error {
	group, ctx := errgroup.WithContext(t.Context())
	group.SetLimit(8)
	for i := 0; i < n && ctx.Err() == nil; i++ {
		group.Go(func() error {
			if err := work(i); err != nil {
				return fmt.Errorf("cron-%d: %w", i, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// write is the write of a manager to one object: "scaler" updates, the others apply, with force if their
// name ends with "!".
func (l *life) write(t *testing.T, manager, version string, i, round int) (err error) {
	object := fmt.Sprintf("cron-%d", i)
	if manager == "scaler" {
		_, err = l.at(version).Patch(t.Context(), object, types.MergePatchType, fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, 1+round%7), metav1.PatchOptions{FieldManager: manager})
	} else {
		name, force := strings.CutSuffix(manager, "!")
		_, err = l.at(version).Apply(t.Context(), object, applied(i, round, manager, version), metav1.ApplyOptions{FieldManager: name, Force: force})
	}
	return err
}

// writers lets the managers write at v2 until stop is called, which returns how often each did.
func (l *life) writers(t *testing.T, n int) (stop func() map[string]int) {
	var wait sync.WaitGroup
	end, counts, mu := make(chan struct{}), map[string]int{}, sync.Mutex{}
	for _, manager := range []string{"old", "new", "scaler"} {
		wait.Go(func() { // ends when stop is called
			for round := 1; ; round++ {
				select {
				case <-end:
					return
				default:
				}
				if err := l.write(t, manager, "v2", rand.IntN(n), round); err != nil {
					t.Errorf("%s writes at v2: %v", manager, err)
				}
				mu.Lock()
				counts[manager]++
				mu.Unlock()
				time.Sleep(50 * time.Millisecond) // the migration and the engines need the CPU, too
			}
		})
	}
	return func() map[string]int {
		close(end)
		wait.Wait()
		return counts
	}
}

// owned asserts that no object has an entry at v1, and that every manager owns its fields of the n
// objects that no engine has: the old one removes its label by leaving it out, and no apply of another
// needs force.
func (l *life) owned(t *testing.T, n int) {
	t.Helper()
	found := 0
	for options := (metav1.ListOptions{Limit: 500}); ; {
		page, err := l.at("v2").List(t.Context(), options)
		must(t, err)
		for i := range page.Items {
			o := &page.Items[i]
			managers := map[string]bool{}
			for _, e := range o.GetManagedFields() {
				managers[e.Manager] = true
				if e.APIVersion != "stable.example.com/v2" {
					t.Errorf("%s has an entry of %s at %s", o.GetName(), e.Manager, e.APIVersion)
				}
			}
			if !strings.HasPrefix(o.GetName(), "cron-") {
				continue
			}
			found++
			if len(managers) != 3 || !managers["old"] || !managers["new"] || !managers["scaler"] {
				t.Errorf("%s has entries of %v", o.GetName(), managers)
			}
		}
		if options.Continue = page.GetContinue(); options.Continue == "" {
			break
		}
	}
	if found != n {
		t.Errorf("there are %d objects, want %d", found, n)
	}
	if err := each(t, n, func(i int) error {
		for _, manager := range []string{"new", "scaler"} {
			if err := l.write(t, manager, "v2", i, 0); err != nil {
				return fmt.Errorf("%s writes: %w", manager, err)
			}
		}
		o, err := l.at("v2").Apply(t.Context(), fmt.Sprintf("cron-%d", i), applied(i, 0, "", "v2"), metav1.ApplyOptions{FieldManager: "old"})
		if err != nil {
			return fmt.Errorf("old applies: %w", err)
		}
		hour, _, _ := unstructured.NestedString(o.Object, "spec", "hour")
		_, there := o.GetLabels()["old"]
		return errorf(hour == fmt.Sprint(i%24) && !there, "it is %+v after the old manager left its label out", o.Object)
	}); err != nil {
		t.Error(err)
	}
}
