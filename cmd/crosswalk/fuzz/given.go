package fuzz

// given returns the objects to begin with, by apiVersion: those of the caller, and those of the
// golden cases.
func (f *fuzzer) given() map[string][]map[string]any {
	all := map[string][]map[string]any{}
	add := func(text []byte, golden bool) {
		object, err := decode(text)
		if err != nil || object["kind"] != f.def.Kind {
			return
		}
		version, _ := object["apiVersion"].(string)
		meta, ok := object["metadata"].(map[string]any)
		if !ok {
			meta = map[string]any{}
			object["metadata"] = meta
		}
		if f.def.Namespaced && meta["namespace"] == nil {
			meta["namespace"] = "default"
		}
		for key := range annotationsOf(object) {
			if golden && f.stash().owns(key) { // of a fragment, perhaps, or of an object that changed since
				delete(annotationsOf(object), key)
			}
		}
		for key, value := range map[string]any{"name": "given", "uid": "6f1d2c3b-0a59-4877-9e66-55d4c3b2a190", "creationTimestamp": "2024-02-29T23:59:59Z"} {
			if _, there := meta[key]; !there {
				meta[key] = value
			}
		}
		all[version] = append(all[version], object)
	}
	for _, text := range f.cfg.Given {
		add(text, false)
	}
	for _, m := range f.cfg.Modules {
		for _, c := range m.Cases() {
			add(c.Object, true)
			if c.Want != nil {
				add(c.Want, true)
			}
		}
	}
	return all
}
