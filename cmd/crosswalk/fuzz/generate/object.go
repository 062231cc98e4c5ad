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

// switches are texts that users write into labels and annotations that a program reads.
var switches = []string{"true", "false", "TRUE", "yes", "", "1", "0", "1.5", "90s", "a"}

// known sets labels and annotations that modules read, in half of the objects each.
func (m *maker) known(meta map[string]any) {
	set := func(member, key, text string) {
		values, _ := meta[member].(map[string]any)
		if values == nil {
			values = map[string]any{}
			meta[member] = values
		}
		values[key] = text
	}
	for _, key := range m.labels {
		if m.rand.IntN(2) == 0 {
			set("labels", key, switches[m.rand.IntN(len(switches))])
		}
	}
	for _, key := range m.notes {
		if m.rand.IntN(2) == 0 {
			set("annotations", key, append(switches, texts...)[m.rand.IntN(2*len(switches))])
		}
	}
}

// metadata makes the metadata of a stored object.
func (m *maker) metadata() map[string]any {
	meta := map[string]any{"name": "fuzz", "uid": "6f1d2c3b-0a59-4877-9e66-55d4c3b2a190", "creationTimestamp": "2024-02-29T23:59:59Z", "generation": int64(1), "resourceVersion": "7"}
	if m.version.Namespaced {
		meta["namespace"] = "default"
	}
	if m.density == 0 {
		return meta
	}
	meta["generation"], meta["resourceVersion"] = []int64{1, 2, 3, 17, 1 << 40}[m.rand.IntN(5)], []string{"7", "123456789"}[m.rand.IntN(2)]
	defer m.known(meta)
	if m.wide.on {
		m.wide.metadata(meta)
		return meta
	}
	if m.rand.IntN(4) == 0 {
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
