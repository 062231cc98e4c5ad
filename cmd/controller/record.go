package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	core "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crosswalk-gateway/crosswalk/internal/attach"
)

// record knows the targets that passed a test and were attached. It is in a ConfigMap of the
// controller's namespace, because annotations of a definition can be written by everybody who may
// edit it. It is for one goroutine.
type record struct {
	client client.Client
	at     client.ObjectKey

	targets map[string]types.UID // by Target.String
	written map[string]types.UID // as in the ConfigMap; nil until it was read
}

// recordKey is the ConfigMap's only key. Its value is a JSON object.
const recordKey = "attached"

func newRecord(c client.Client, namespace, name string) *record {
	return &record{client: c, at: client.ObjectKey{Namespace: namespace, Name: name}, targets: map[string]types.UID{}}
}

// has reports whether a target was attached. A target that was deleted and made again was not.
func (r *record) has(t *attach.Target) bool {
	uid, there := r.targets[t.String()]
	return there && uid == t.UID()
}

func (r *record) add(t *attach.Target) { r.targets[t.String()] = t.UID() }

// keepOnly forgets all other targets.
func (r *record) keepOnly(targets []*attach.Target) {
	wanted := map[string]bool{}
	for _, t := range targets {
		wanted[t.String()] = true
	}
	maps.DeleteFunc(r.targets, func(name string, _ types.UID) bool { return !wanted[name] })
}

// read reads the ConfigMap, once: while this replica has the lease, no other one writes it.
func (r *record) read(ctx context.Context) error {
	if r.written != nil {
		return nil
	}
	found := &core.ConfigMap{}
	if err := r.client.Get(ctx, r.at, found); apierrors.IsNotFound(err) {
		r.written = map[string]types.UID{}
		return nil
	} else if err != nil {
		return fmt.Errorf("reading ConfigMap %s: %w", r.at.Name, err)
	}
	text, there := found.Data[recordKey]
	if !there {
		text = "{}"
	}
	written := map[string]types.UID{}
	if err := json.Unmarshal([]byte(text), &written); err != nil {
		return fmt.Errorf("ConfigMap %s, key %s, must be a JSON object with a UID for each name: %w; delete the ConfigMap to test all definitions again", r.at.Name, recordKey, err)
	}
	for name, uid := range written {
		if _, newer := r.targets[name]; !newer {
			r.targets[name] = uid
		}
	}
	r.written = written
	return nil
}

// write writes the ConfigMap if something changed.
func (r *record) write(ctx context.Context) error {
	if r.written == nil || maps.Equal(r.targets, r.written) {
		return nil
	}
	text, err := json.Marshal(r.targets)
	if err != nil {
		return err
	}
	wanted := &core.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: r.at.Namespace, Name: r.at.Name}, Data: map[string]string{recordKey: string(text)}}
	if err = r.client.Update(ctx, wanted); apierrors.IsNotFound(err) {
		err = r.client.Create(ctx, wanted)
	}
	if err != nil {
		return fmt.Errorf("writing ConfigMap %s: %w", r.at.Name, err)
	}
	r.written = maps.Clone(r.targets)
	return nil
}
