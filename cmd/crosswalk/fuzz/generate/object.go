package generate

import (
	"context"
)

// make makes a valid object. It returns nil and an API server's reason if it does not succeed.
func (m *maker) make(ctx context.Context) (map[string]any, string) {
	v := m.version
	m.on = m.goal != nil
	r := &rules{}
	m.collect(r, m.root, v.Schema.ValueValidation)
	made, ok := m.object(m.root, r)
	switch {
	case m.work < 0:
		return nil, tooMuch
	case !ok:
		return nil, "no value keeps all rules of the schema"
	}
	object := made.(map[string]any)
	object["apiVersion"], object["kind"] = v.APIVersion, v.Kind
	object["metadata"] = m.metadata()
	v.Store(object)
	return changer{m}.repair(ctx, object)
}

// metadata makes the metadata of a stored object.
func (m *maker) metadata() map[string]any {
	meta := map[string]any{"name": "fuzz", "uid": "6f1d2c3b-0a59-4877-9e66-55d4c3b2a190", "creationTimestamp": "2024-02-29T23:59:59Z", "generation": int64(1), "resourceVersion": "7"}
	if m.version.Namespaced {
		meta["namespace"] = "default"
	}
	if m.wide.on {
		m.wide.metadata(meta)
		return meta
	}
	if m.density == 0 || m.rand.IntN(4) == 0 {
		return meta
	}
	if m.rand.IntN(2) == 0 {
		meta["labels"] = map[string]any{"app.kubernetes.io/name": "fuzz", "empty": ""}
	}
	if m.rand.IntN(2) == 0 {
		meta["annotations"] = map[string]any{"example.com/note": texts[m.rand.IntN(len(texts))], "example.com/empty": "", "example.com/object": `{"b":1,"a":[]}`}
	}
	if m.rand.IntN(4) == 0 {
		meta["finalizers"] = []any{"example.com/b", "example.com/a"}
	}
	if m.rand.IntN(4) == 0 {
		meta["ownerReferences"] = []any{map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": "5f1d2c3b-0a59-4877-9e66-55d4c3b2a190"}}
	}
	return meta
}
