package plugins_test

import (
	"bytes"
	"encoding/json"
	"testing"
)

// TestRulesEqualModules compares the answers of the examples' rules with those of their modules in
// the other languages, to the byte, over the shared vectors.
func TestRulesEqualModules(t *testing.T) {
	modules := map[string][]converter{}
	for _, c := range converters(t) {
		modules[c.plugin] = append(modules[c.plugin], c)
	}
	for plugin, all := range modules {
		rules := -1
		for i, c := range all {
			if c.language == "rules" {
				rules = i
			}
		}
		if rules < 0 {
			continue
		}
		for _, c := range all {
			if c.language == "rules" || c.language == "nim" || c.language == "lua" {
				continue
			}
			t.Run(plugin+"/"+c.language, func(t *testing.T) {
				need(t, c.language)
				vectors := vectorsOf(t, plugin)
				mine, other := newGuest(t, all[rules].file), newGuest(t, c.file)
				for _, v := range vectors {
					got, want := mine.answers(t, v.DesiredAPIVersion, objects(v)...), other.answers(t, v.DesiredAPIVersion, objects(v)...)
					for i := range want {
						if compacted(got[i]) != compacted(want[i]) {
							t.Errorf("%s: object %d: the rules answer\n\t%v\nthe module answers\n\t%v", v.Name, i, got[i], want[i])
						}
					}
				}
			})
		}
	}
}

// compacted returns an answer without white space: engines that write metadata again keep what was
// beside it, or not.
func compacted(a answer) answer {
	var b bytes.Buffer
	if a.status == 0 && json.Compact(&b, []byte(a.body)) == nil {
		a.body = b.String()
	}
	return a
}
