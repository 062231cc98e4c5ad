package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	core "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
)

// record knows the targets that passed a test and were attached. It is in a ConfigMap of the
// controller's namespace, because annotations of a definition can be written by everybody who may
// edit it, and are gone when somebody replaces the definition. All but knows is for one goroutine.
type record struct {
	client client.Client
	at     client.ObjectKey

	mu      sync.Mutex           // held by writers of targets, and by knows
	targets map[string]types.UID // by Target.String
	gone    map[string]time.Time // since when a target of targets does not exist
	read    bool
	written map[string]string // the ConfigMap's data
}

// The ConfigMap's keys. Their values are JSON objects.
const (
	recordKey = "attached"
	goneKey   = "gone"
)

const (
	// goneTime is how long a deleted definition is remembered: an uninstallation and the next
	// installation may be days apart.
	goneTime = 7 * 24 * time.Hour
	// mostGone bounds the number of deleted definitions that are remembered.
	mostGone = 200
)

func newRecord(c client.Client, namespace, name string) *record {
	return &record{client: c, at: client.ObjectKey{Namespace: namespace, Name: name}, targets: map[string]types.UID{}, gone: map[string]time.Time{}}
}

// has reports whether a target was attached. A target that was deleted and made again was not.
func (r *record) has(t *attach.Target) bool {
	uid, there := r.targets[t.String()]
	return there && uid == t.UID()
}

// knows reports whether a target of this name was attached.
func (r *record) knows(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, there := r.targets[name]
	return there
}

func (r *record) add(t *attach.Target) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.targets[t.String()] = t.UID()
}

// keepOnly forgets all others than some targets, and those that do not exist. Those it remembers for
// a while: the next target of the name was to be attached, too.
func (r *record) keepOnly(targets []*attach.Target, exists map[string]bool, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	wanted := map[string]bool{}
	for _, t := range targets {
		wanted[t.String()] = true
	}
	for name := range r.targets {
		since, was := r.gone[name]
		switch {
		case wanted[name]:
			delete(r.gone, name)
		case exists[name]:
			r.forget(name)
		case !was:
			r.gone[name] = now.UTC().Truncate(time.Second)
		case now.Sub(since) > goneTime:
			r.forget(name)
		}
	}
	maps.DeleteFunc(r.gone, func(name string, _ time.Time) bool { _, there := r.targets[name]; return !there })
	oldest := slices.SortedFunc(maps.Keys(r.gone), func(a, b string) int {
		return cmp.Or(r.gone[a].Compare(r.gone[b]), cmp.Compare(a, b))
	})
	for _, name := range oldest[:max(0, len(oldest)-mostGone)] {
		r.forget(name)
	}
}

func (r *record) forget(name string) {
	delete(r.targets, name)
	delete(r.gone, name)
}

// load reads the ConfigMap, once: while this replica has the lease, no other one writes it.
func (r *record) load(ctx context.Context) error {
	if r.read {
		return nil
	}
	found := &core.ConfigMap{}
	if err := r.client.Get(ctx, r.at, found); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("reading ConfigMap %s: %w", r.at.Name, err)
	}
	targets, gone := map[string]types.UID{}, map[string]time.Time{}
	for key, into := range map[string]any{recordKey: &targets, goneKey: &gone} {
		text, there := found.Data[key]
		if !there {
			continue
		}
		if err := json.Unmarshal([]byte(text), into); err != nil {
			return fmt.Errorf("ConfigMap %s, key %s, must be a JSON object with a UID or a time for each name: %w; delete the ConfigMap to test all definitions again", r.at.Name, key, err)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, uid := range targets {
		if _, newer := r.targets[name]; !newer {
			r.targets[name] = uid
		}
	}
	maps.Copy(r.gone, gone)
	r.written, r.read = found.Data, true
	return nil
}

// write writes the ConfigMap if something changed.
func (r *record) write(ctx context.Context) error {
	if !r.read {
		return nil
	}
	data := map[string]string{}
	for key, value := range map[string]any{recordKey: r.targets, goneKey: r.gone} {
		text, err := json.Marshal(value)
		if err != nil {
			return err
		}
		if string(text) != "{}" || r.written[key] != "" {
			data[key] = string(text)
		}
	}
	if maps.Equal(data, r.written) {
		return nil
	}
	wanted := &core.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: r.at.Namespace, Name: r.at.Name}, Data: data}
	err := r.client.Update(ctx, wanted)
	if apierrors.IsNotFound(err) {
		err = r.client.Create(ctx, wanted)
	}
	if err != nil {
		return fmt.Errorf("writing ConfigMap %s: %w", r.at.Name, err)
	}
	r.written = data
	return nil
}
