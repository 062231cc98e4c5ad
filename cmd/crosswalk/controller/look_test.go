package main

import (
	"errors"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttest "k8s.io/client-go/testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
)

// TestLookThatFails: objects that cannot be listed leave no number, for an old one would say that they
// are as they were. The next look at them is an hour later.
func TestLookThatFails(t *testing.T) {
	crd := tenants("1", map[string]string{attach.Annotation: "true"})
	w := newWorld(t, nil)
	crd.Spec.Conversion = w.gateway.Stanza()
	gateway := w.gateway
	w = newWorld(t, []*apiextensions.CustomResourceDefinition{crd})
	w.keeper.gateway = gateway
	now := time.Now()
	w.now = func() time.Time { return now }
	w.dynamic.PrependReactor("list", "tenants", func(clienttest.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("the objects cannot be listed")
	})
	w.reconcile(t)
	l, err := newLookout(w.keeper, prometheus.NewRegistry())
	if err != nil || len(w.kept()) != 1 {
		t.Fatal(err, w.kept())
	}
	for _, step := range []struct {
		after time.Duration
		looks bool
	}{{0, true}, {lookInterval - time.Second, false}, {time.Second, true}} {
		now = now.Add(step.after)
		l.bad.WithLabelValues(crd.Name).Set(5)
		l.look(t.Context(), w.kept()[0])
		if looked := testutil.CollectAndCount(l.bad) == 0; looked != step.looks || looked && l.looked[crd.Name] != now {
			t.Errorf("after %v more: looked %v, want %v", step.after, looked, step.looks)
		}
	}
}
