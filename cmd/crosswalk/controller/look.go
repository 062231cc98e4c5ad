package main

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	core "k8s.io/api/core/v1"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
)

const (
	// lookInterval is the interval of converting all stored objects of an attached definition: a new
	// module, or a write before there were admission policies, can leave objects that do not convert.
	lookInterval = time.Hour
	// lookPause is the interval of looking for a definition whose turn it is.
	lookPause = 15 * time.Second
	// lookRate bounds the objects converted in a second: 100,000 take half an hour, and a gateway
	// that serves users does thousands.
	lookRate = 50
	// mostBad is the number of objects that do not convert after which a look ends.
	mostBad = 100
)

// lookout converts the stored objects of attached definitions now and then. It has the right to
// list them only where somebody gave it that right.
type lookout struct {
	keeper *keeper
	bad    *prometheus.GaugeVec
	looked map[string]time.Time // by the name of the CustomResourceDefinition
}

func newLookout(k *keeper, registry prometheus.Registerer) (*lookout, error) {
	l := &lookout{keeper: k, looked: map[string]time.Time{}, bad: unconvertible()}
	return l, registry.Register(l.bad)
}

// NeedLeaderElection makes Start wait for the lease.
func (l *lookout) NeedLeaderElection() bool { return true }

// Start looks until ctx ends.
func (l *lookout) Start(ctx context.Context) error {
	for {
		targets := l.keeper.kept()
		wanted := map[string]bool{}
		for _, t := range targets {
			for _, crd := range t.Definitions {
				wanted[crd.Name] = true
			}
		}
		for name := range l.looked {
			if !wanted[name] {
				delete(l.looked, name)
				l.bad.DeleteLabelValues(name)
			}
		}
		for _, t := range targets {
			l.look(ctx, t)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(lookPause):
		}
	}
}

// look converts the objects of one target's definitions, if it is time.
func (l *lookout) look(ctx context.Context, t *attach.Target) {
	k := l.keeper
	for _, crd := range t.Definitions {
		if last, there := l.looked[crd.Name]; there && k.now().Sub(last) < lookInterval {
			continue
		}
		found, err := k.cluster.Probe.Inspect(ctx, crd, t.Conversion(), mostBad, lookRate)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			// An old number would say that the objects are as they were.
			l.bad.DeleteLabelValues(crd.Name)
			k.log.Info("stored objects were not converted", "definition", crd.Name, "err", err)
		default:
			l.bad.WithLabelValues(crd.Name).Set(float64(len(found.Bad)))
		}
		l.looked[crd.Name] = k.now()
		if err == nil && len(found.Bad) > 0 {
			k.event(t, core.EventTypeWarning, "Unconvertible", "stored objects do not convert, so every LIST of them fails: "+found.String())
		}
	}
}
