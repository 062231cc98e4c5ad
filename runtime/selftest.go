package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// selfTest has the compiled module and the same module on the interpreter convert the same objects and demands the same
// answers, byte for byte: those of the golden cases, and some that are made up. A compiler that gets a module wrong is rare
// and has happened (faults.md M17); a converter is small, so that a few objects reach much of it.
func selfTest(ctx context.Context, compiled, interpreted *Module) error {
	// The golden cases come first: the module has converted them before, and does not yet rest from objects made up for it.
	for i := range compiled.sidecar.cases {
		c := &compiled.sidecar.cases[i]
		same, conclusive := alike(ctx, compiled, interpreted, c.edge, c.object)
		if !same {
			return fmt.Errorf("self-test: %s: %s: compiled and interpreted, the module answers differently: the compiler gets it wrong, and it must not serve", compiled.sidecar.file, c.label)
		}
		if !conclusive && compiled.sidecar.trusted {
			return nil // the two may now remember different things
		}
	}
	for _, edge := range compiled.name.Edges() {
		for _, object := range selfTestObjects(edge.Group+"/"+edge.From, edge.Kind) {
			same, conclusive := alike(ctx, compiled, interpreted, edge, object)
			if !conclusive && compiled.sidecar.trusted {
				return nil
			}
			if !same {
				return fmt.Errorf("self-test: compiled and interpreted, the module answers differently from %s to %s: the compiler gets it wrong, and it must not serve", edge.From, edge.To)
			}
		}
	}
	return nil
}

// alike converts an object with both modules and reports whether the answers are the same. Where one has none, for time ran
// out, it reports that they are, and that nothing was learned. Both see of the object what the module declares.
func alike(ctx context.Context, compiled, interpreted *Module, edge Edge, object []byte) (same, conclusive bool) {
	from, to := edge.Group+"/"+edge.From, edge.Group+"/"+edge.To
	object = compiled.view(edge, object)
	a, aOK := answerOf(ctx, compiled, from, to, object)
	b, bOK := answerOf(ctx, interpreted, from, to, object)
	if !aOK || !bOK {
		return true, false
	}
	return bytes.Equal(a, b), true
}

// answerOf returns what a module makes of one object: the answer's bytes, a refusal or the kind of a fault. It reports false
// when time ran out, which says nothing of the code: the interpreter is fifty times slower.
func answerOf(ctx context.Context, m *Module, from, to string, object []byte) (answer []byte, conclusive bool) {
	converted, refused, err := m.Convert(ctx, from, to, [][]byte{object})
	var fault *FaultError
	switch {
	case errors.As(err, &fault) && fault.blamesModule() && fault.Kind != FaultDeadline:
		return []byte("fault " + fault.Kind), true
	case err != nil:
		return nil, false
	case refused != nil:
		return []byte("refused " + refused[0]), true
	}
	return converted[0], true
}

// selfTestObjects are objects of a kind of which only the envelope is known: a fragment, an object with metadata, one with
// fields of every JSON type under the names that nearly every kind has.
func selfTestObjects(apiVersion, kind string) [][]byte {
	head := append(rawjson.Quote([]byte(`{"apiVersion":`), apiVersion), `,"kind":`...)
	head = rawjson.Quote(head, kind)
	object := func(rest string) []byte { return append(bytes.Clone(head), rest...) }
	return [][]byte{
		object(`}`),
		object(`,"metadata":{"name":"self-test","namespace":"default","uid":"1","labels":{"a":"b"},"annotations":{"c/d":"e"}}}`),
		object(`,"metadata":{"name":"self-test"},"spec":{"replicas":3,"text":"a \"b\" \u00e9 ü","ratio":0.25,"on":true,"none":null,"list":[1,"x",{}],"map":{"k":"v"},"big":9007199254740993},"status":{"conditions":[{"type":"Ready","status":"True"}]}}`),
	}
}
