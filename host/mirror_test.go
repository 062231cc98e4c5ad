package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

// hearing is a Tap that notes the conversions of the edges it follows.
type hearing struct {
	follows map[string]bool // v1→v2
	most    int             // larger objects are not wanted
	mu      sync.Mutex
	heard   []string
}

type listening struct {
	h    *hearing
	edge string
}

func (h *hearing) Listener(group, kind, from, to string, by Module) Listener {
	edge := from + "→" + to
	if group != "stable.example.com" || kind != "CronTab" || !h.follows[edge] {
		return nil
	}
	return listening{h, edge + " by " + by.Name()[strings.Index(by.Name(), "_"):]}
}

func (l listening) Wants(size int) bool { return size <= l.h.most }

func (l listening) Converted(before, after []byte) {
	l.h.mu.Lock()
	defer l.h.mu.Unlock()
	l.h.heard = append(l.h.heard, fmt.Sprintf("%s: %s => %s", l.edge, before, after))
	clear(before) // they are the listener's own: nothing else may be hurt by it
	clear(after)
}

func TestTap(t *testing.T) {
	const meta = `"metadata":{"name":"n","uid":"u","resourceVersion":"7","managedFields":[{}],"labels":{"a":"b"}}`
	object := func(version, spec string) string {
		return `{"apiVersion":"stable.example.com/` + version + `","kind":"CronTab",` + meta + `,"spec":` + spec + `}`
	}
	first := &funcModule{One: func(_, to string, view []byte) ([]byte, string) {
		if strings.Contains(string(view), "refuse") {
			return nil, "no"
		}
		return []byte(`{"spec":"` + to + `"}`), "" // metadata and the rest are left to the gateway
	}}
	second := &funcModule{Paths: []string{"spec"}, One: func(_, to string, view []byte) ([]byte, string) {
		return []byte(`{"apiVersion":"` + to + `","spec":{"now":"` + to + `"}}`), "" // it sees and answers with the spec only
	}}
	trap := &funcModule{All: func(context.Context, string, string, [][]byte) ([][]byte, map[int]string, error) {
		return nil, nil, errors.New("trapped")
	}}
	spoilt := &funcModule{One: func(string, string, []byte) ([]byte, string) { return []byte(`{"kind":"Other"}`), "" }}
	ways := slices.Concat(edges(first, "v1→v2"), edges(second, "v2→v3"), edges(trap, "v5→v6"), edges(spoilt, "v7→v8"))
	in3 := object("v3", `{"now":"stable.example.com/v3"}`)
	in2 := `{"apiVersion":"stable.example.com/v2","kind":"CronTab",` + meta + `,"spec":"stable.example.com/v2"}`
	step1 := "v1→v2 by _v1_v2.wasm: " + object("v1", `"x"`) + " => " + in2
	for _, tc := range []struct {
		name, to string
		objects  []string
		follows  []string
		want     []string
	}{
		{"a step", "v2", []string{object("v1", `"x"`)}, []string{"v1→v2"}, []string{step1}},
		{"nobody listens", "v2", []string{object("v1", `"x"`)}, []string{"v2→v1"}, nil},
		{"both steps of a chain", "v3", []string{object("v1", `"x"`)}, []string{"v1→v2", "v2→v3"}, []string{step1, "v2→v3 by _v2_v3.wasm: " + in2 + " => " + in3}},
		{"the second step only", "v3", []string{object("v1", `"x"`)}, []string{"v2→v3"}, []string{"v2→v3 by _v2_v3.wasm: " + in2 + " => " + in3}},
		{"some are too large", "v2", []string{object("v1", `"x"`), object("v1", `"`+strings.Repeat("x", 500)+`"`), object("v1", `"x"`)}, []string{"v1→v2"}, []string{step1, step1}},
		{"of a list with a refused object, that", "v2", []string{object("v1", `"x"`), object("v1", `"refuse"`)}, []string{"v1→v2"},
			[]string{"v1→v2 by _v1_v2.wasm: " + object("v1", `"refuse"`) + " => "}},
		{"of a list with one that no module converts, the refused object", "v2", []string{object("v2", `"x"`), object("v1", `"x"`), object("v1", `"refuse"`)}, []string{"v1→v2"},
			[]string{"v1→v2 by _v1_v2.wasm: " + object("v1", `"refuse"`) + " => "}},
		{"a refused object that is not wanted", "v2", []string{object("v1", `"refuse`+strings.Repeat("x", 500)+`"`)}, []string{"v1→v2"}, nil},
		{"a fault", "v6", []string{object("v5", `"x"`)}, []string{"v5→v6"}, nil},
		{"a broken contract", "v8", []string{object("v7", `"x"`)}, []string{"v7→v8"}, nil},
		{"what no module converts", "v2", []string{object("v2", `"x"`)}, []string{"v1→v2"}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := &hearing{follows: map[string]bool{}, most: 300}
			for _, e := range tc.follows {
				h.follows[e] = true
			}
			modules := &fixedModules{routes: NewRoutes(ways)}
			c, plain := newConverter(ConverterConfig{Modules: modules, Mirror: h}), newConverter(ConverterConfig{Modules: modules})
			body := []byte(reviewOf("v1", "stable.example.com/"+tc.to, tc.objects...))
			want, _, _ := plain.Review(context.Background(), body)
			for range 2 { // the second time with the state that the first left
				h.heard = nil
				got, _, _ := c.Review(context.Background(), body)
				if string(got) != string(want) {
					t.Errorf("the answer with a tap is\n%s, without\n%s", got, want)
				}
				if !slices.Equal(h.heard, tc.want) {
					t.Errorf("heard\n%s\nwant\n%s", strings.Join(h.heard, "\n"), strings.Join(tc.want, "\n"))
				}
			}
		})
	}
}
