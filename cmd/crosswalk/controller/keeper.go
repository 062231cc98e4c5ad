package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// keeper keeps all annotated definitions attached.
type keeper struct {
	options
	cluster *attach.Cluster
	client  client.Client
	events  events.EventRecorder
	log     *slog.Logger
	now     func() time.Time
	working sync.Mutex // held by the one run that works

	gateway  attach.Gateway        // its CA is empty if it comes from the Secret
	tested   map[string]testResult // the last test of each target
	attached *record

	stage      string    // of the certificate, as sinceAnnotation has it
	stageBegan time.Time // when this process found it

	mu      sync.Mutex
	targets []*attach.Target // those that have the stanza, after the last run; guarded by mu
}

// kept returns the targets that had the stanza after the last run.
func (k *keeper) kept() []*attach.Target {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.targets
}

// testResult is the result of a test. It is not read from the status annotation, which everybody who
// may edit the definition can write.
type testResult struct {
	at  time.Time
	err error
}

const (
	// retry is the time until the next attempt if something failed.
	retry = 15 * time.Second
	// recheck is the interval of testing the gateway for attached definitions.
	recheck = 10 * time.Minute
	// testTime bounds the test of one target, so that a gateway or module that hangs does not keep the
	// controller from the others: a conversion may take 30 s, and there is one for each pair of versions.
	testTime = time.Minute
	// testsTime bounds the tests of one run, so that a team with many definitions whose modules hang does
	// not keep the controller from a certificate, or from a definition that loses its stanza. The others
	// are tested in the next run, those first whose last test is longest ago.
	testsTime = 2 * time.Minute
	// maxStatus bounds the text of a status annotation, in bytes.
	maxStatus = 1 << 10
)

// The first word of the status annotation.
const (
	statusAttached = "Attached"
	statusRefused  = "Refused" // the test failed, and the definition was not changed
	statusFailing  = "Failing" // attached, and the test fails
)

// Start looks at everything at regular intervals while this replica has the lease. Changes of
// definitions cause further looks at once.
func (k *keeper) Start(ctx context.Context) error {
	for {
		wait := resync
		if _, err := k.Reconcile(ctx, everything); err != nil && ctx.Err() == nil {
			k.log.Warn("not everything is in order; trying again", "err", err, "in", retry.String())
			wait = retry
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
	}
}

// NeedLeaderElection makes Start wait for the lease.
func (k *keeper) NeedLeaderElection() bool { return true }

// Reconcile brings everything in order: the certificate, the stanzas, and the copies.
func (k *keeper) Reconcile(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
	k.working.Lock()
	defer k.working.Unlock()
	g, pair, err := k.trust(ctx)
	if err != nil {
		return reconcile.Result{}, err
	}
	unknown := k.attached.load(ctx)
	f, err := k.find(ctx)
	if err != nil {
		return reconcile.Result{}, errors.Join(unknown, err)
	}
	failed := errors.Join(f.failed, unknown)
	trusted := len(f.unread) == 0 // a definition that cannot be read may still have the previous CA
	left, err := k.copyDefinitions(ctx, f.targets, f.unread)
	failed = errors.Join(failed, err)
	var kept []*attach.Target
	began, waiting := k.now(), 0
	for _, t := range k.inTurn(f.targets, g) {
		if k.needsTest(t, g) && k.now().Sub(began) >= testsTime {
			waiting++
			trusted = trusted && (k.has(t, g) || !g.Serves(t.Conversion()))
			if k.has(t, g) {
				kept = append(kept, t)
			}
			continue
		}
		trusts, err := k.keep(ctx, t, g, k.notCopied(t, left))
		if k.has(t, g) {
			kept = append(kept, t) // one that was attached just now follows with the next run
		}
		trusted = trusted && trusts
		failed = errors.Join(failed, err)
	}
	if waiting > 0 {
		failed = errors.Join(failed, fmt.Errorf("the tests of this run took %v: %d definitions are tested in the next one", testsTime, waiting))
	}
	maps.DeleteFunc(k.tested, func(name string, _ testResult) bool { return !f.exists[name] })
	k.mu.Lock()
	k.targets = kept
	k.mu.Unlock()
	if len(f.unread) == 0 {
		k.attached.keepOnly(f.targets, f.exists, k.now())
	}
	failed = errors.Join(failed, k.attached.write(ctx))
	if pair != nil {
		failed = errors.Join(failed, k.proceed(ctx, pair, trusted))
	}
	return reconcile.Result{}, failed
}

// keep attaches one target, or restores or tests its stanza. It restores without a test only if the
// record says that the target passed one. note is for the status of an attached target. trusts
// reports whether the target has the stanza with the present CA, or does not use the gateway at
// all: a definition that waits for its module does not hold up a certificate.
func (k *keeper) keep(ctx context.Context, t *attach.Target, g attach.Gateway, note string) (trusts bool, err error) {
	if !t.Annotated() {
		if err := k.cluster.AnnotateAgain(ctx, t); err != nil {
			return false, err
		}
		k.event(t, core.EventTypeWarning, "AnnotationRestored", "somebody replaced this definition, which was attached, or made it again; crosswalk detach ends that")
	}
	was := t.Annotations()[attach.StatusAnnotation]
	before := k.attached.has(t)
	have := t.Conversion()
	status := statusAttached
	if note != "" {
		status += ", but " + note
	}
	fine := status
	tested, cancel := context.WithTimeout(ctx, testTime)
	defer cancel()
	switch {
	case k.has(t, g):
		trusts = true
		if err = k.test(tested, t, g); err != nil {
			status = statusFailing + ": " + err.Error()
		} else {
			k.attached.add(t)
		}
	case before && !g.Serves(have):
		if err = k.cluster.Restore(ctx, t, g); err == nil {
			trusts = true
			k.event(t, core.EventTypeWarning, "StanzaRestored", "somebody had removed spec.conversion, so objects were read unconverted; it is restored")
		}
	case before: // the CA changed, or a detail
		if err = k.cluster.Restore(ctx, t, g); err == nil {
			trusts = true
			k.event(t, core.EventTypeNormal, "StanzaUpdated", "spec.conversion has the gateway's present address and CA")
		}
	default:
		var outcome attach.Outcome
		outcome, err = k.cluster.Attach(tested, t, g, false)
		k.tested[t.String()] = testResult{k.now(), err}
		if err == nil {
			trusts = true
			k.attached.add(t)
			k.event(t, core.EventTypeNormal, "Attached", outcome.Message)
		} else {
			trusts, status = !g.Serves(have), statusRefused+": "+err.Error()
		}
	}
	if err != nil && status == fine {
		return false, err // nothing is known about the target
	}
	if status = strings.ToValidUTF8(status[:min(len(status), maxStatus)], ""); status != was {
		if err != nil {
			k.event(t, core.EventTypeWarning, strings.SplitN(status, ":", 2)[0], err.Error())
		} else if note != "" {
			k.event(t, core.EventTypeWarning, "NotCopied", note)
		}
		if failed := k.cluster.Annotate(ctx, t, attach.StatusAnnotation, status); failed != nil {
			return trusts, errors.Join(err, fmt.Errorf("writing the status of %s: %w", t, failed))
		}
	}
	return trusts, err
}

// has reports whether a target has the gateway's present stanza.
func (k *keeper) has(t *attach.Target, g attach.Gateway) bool {
	return equality.Semantic.DeepEqual(t.Conversion(), g.Stanza())
}

// needsTest reports whether keep tests the gateway for a target: it is not attached, and the record does
// not say that it was; or it is, and the last test failed or is long ago.
func (k *keeper) needsTest(t *attach.Target, g attach.Gateway) bool {
	if !k.has(t, g) {
		return !k.attached.has(t)
	}
	last, there := k.tested[t.String()]
	return !there || last.err != nil || k.now().Sub(last.at) >= recheck
}

// inTurn returns the targets that need no test, which takes time, and then the others in the order of
// their last tests.
func (k *keeper) inTurn(targets []*attach.Target, g attach.Gateway) (ordered []*attach.Target) {
	var tests []*attach.Target
	for _, t := range targets {
		if k.needsTest(t, g) {
			tests = append(tests, t)
		} else {
			ordered = append(ordered, t)
		}
	}
	slices.SortStableFunc(tests, func(a, b *attach.Target) int {
		return k.tested[a.String()].at.Compare(k.tested[b.String()].at)
	})
	return append(ordered, tests...)
}

// test tests the gateway for an attached target, if that is due.
func (k *keeper) test(ctx context.Context, t *attach.Target, g attach.Gateway) error {
	if !k.needsTest(t, g) {
		return nil
	}
	err := k.cluster.Probe.Examine(ctx, t, t.Conversion()).Err()
	k.tested[t.String()] = testResult{k.now(), err}
	return err
}

// event reports to the log and to the target's events.
func (k *keeper) event(t *attach.Target, kind, reason, text string) {
	k.log.Info(reason, "definition", t.Name, "text", text)
	k.record(t.Object(), kind, reason, text)
}

// record makes an event for an object. API servers take texts of 1,024 bytes.
func (k *keeper) record(of runtime.Object, kind, reason, text string) {
	k.events.Eventf(of, nil, kind, reason, "Attach", "%s", foreign.Fit(text, 1024))
}

// trust returns the gateway with the CA that definitions are to have, and the pair, if the
// controller keeps it.
func (k *keeper) trust(ctx context.Context) (attach.Gateway, *pair, error) {
	g := k.gateway
	if len(g.CA) > 0 || g.URL != "" {
		return g, nil, nil
	}
	if k.keepCertificate {
		p, err := k.readPair(ctx)
		if err != nil {
			return g, nil, err
		}
		g.CA = p.secret.Data[caKey]
		return g, p, nil
	}
	var err error
	g.CA, err = k.cluster.CA(ctx, k.namespace, k.secret)
	return g, nil, err
}
