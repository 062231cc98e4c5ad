package host

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// roomModule is a module that writes its outputs into the host's memory.
type roomModule struct {
	*funcModule
	calls int
}

func (m *roomModule) ConvertInto(ctx context.Context, from, to string, objects [][]byte, room func(size int) []byte) ([][]byte, map[int]string, error) {
	m.calls++
	converted, refused, err := m.Convert(ctx, from, to, objects)
	for i, c := range converted {
		out := room(len(c) + 16)
		if out == nil {
			out = make([]byte, len(c)+16)
		}
		copy(out, strings.Repeat("#", 8))
		copy(out[8+copy(out[8:], c):], strings.Repeat("#", 8))
		converted[i] = out[8 : 8+len(c) : 8+len(c)]
	}
	return converted, refused, err
}

// TestOutputsInRoomOfHost: the answers of modules that write into the host's memory are those of modules
// that do not, in chains of several hops, with small and large objects, and from the cache after other
// reviews have used the memory.
func TestOutputsInRoomOfHost(t *testing.T) {
	one := func(from, to string, object []byte) ([]byte, string) {
		object = bytes.Replace(object, []byte(from), []byte(to), 1)
		return bytes.Replace(object, []byte(`"spec":{`), []byte(`"spec":{"`+to+`":1,`), 1), ""
	}
	list := []string{"v1→v2", "v2→v3", "v3→v4"}
	plain := edges(&funcModule{One: one}, list...)
	m := &roomModule{funcModule: &funcModule{File: plain[0].Module.Name(), One: one}}
	roomy := edges(m.funcModule, list...)
	for i := range roomy {
		roomy[i].Module = m
	}
	large := strings.Replace(benchObject(9), `"image":`, `"text":"`+strings.Repeat("x", arenaRoom)+`","image":`, 1)
	want, got := converter(plain...), converter(roomy...)
	got.cache = NewCache(1 << 20)
	for n := range 30 {
		objects := []string{benchObject(n % 7), benchObject(n % 5), cron, large}[:1+n%4]
		body := []byte(reviewOf("v1", "stable.example.com/v3", objects...))
		a, _, err := want.Review(context.Background(), body)
		b, outcome, err2 := got.Review(context.Background(), body)
		if err != nil || err2 != nil || outcome.Failure != "" || !bytes.Equal(a, b) {
			t.Fatalf("review %d: %v, %v, %+v:\n%.2000s\n%.2000s", n, err, err2, outcome, b, a)
		}
		got.Recycle(b)
	}
	if m.calls == 0 {
		t.Error("no module was given room")
	}
}
