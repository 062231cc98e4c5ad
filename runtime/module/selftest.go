package module

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
	"github.com/crosswalk-gateway/crosswalk/internal/watch"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// compare loads a module of which compiled is the compiled form once more, on the interpreter, and compares the two: see selfTest. It says
// how many conversions were compared, of how many. What the interpreter cannot do with its fuel or in the time of ctx stays uncompared:
// that it is slow, or the machine, says nothing about the code.
func (l *Loader) compare(ctx context.Context, compiled *Module, file watch.File, beside *watch.File) (compared, of int, err error) {
	slow := *l
	slow.interpret, slow.child = true, nil
	slow.limits.FuelToLoad = min(l.limits.FuelToLoad, compareFuel(compiled.wasmSize)/2)
	interpreted, err := slow.loadWith(ctx, compiled.name, file, beside)
	var fault *FaultError
	switch {
	case errors.As(err, &fault) && (fault.Kind == FaultFuel || fault.Kind == FaultDeadline):
		return 0, len(comparisons(compiled)), nil
	case err != nil:
		return 0, 0, fmt.Errorf("on the interpreter: %w", err)
	}
	defer interpreted.close()
	return selfTest(ctx, compiled, interpreted, compareFuel(compiled.wasmSize)/2)
}

// compareFuel is the work that the interpreter may do for a module of so many bytes: half of it to start, half to convert. It makes
// 100 to 200 million units of fuel a second, and compiling takes 0.4 s for a MB: 10 units for each byte are a sixth of that at most, and
// 25 million are the quarter of a second that a small module may take as well. The examples of every language need less: Go 2.4 million to
// start, JavaScript's engine 10 million for all golden cases and the objects made up.
func compareFuel(size int) int64 { return 25_000_000 + 10*int64(size) }

// comparison is an object that both forms of a module convert.
type comparison struct {
	edge   artifact.Edge
	object []byte
	label  string // of a golden case; empty for an object made up
}

// comparisons are the golden cases of a module, and objects made up for it. The golden cases come first: the module has converted them
// before, and its circuit breaker is not yet open from objects made up for it.
func comparisons(m *Module) (all []comparison) {
	for i := range m.sidecar.Cases {
		c := &m.sidecar.Cases[i]
		all = append(all, comparison{c.Edge, c.Object, c.Label})
	}
	for _, edge := range m.name.Edges() {
		for _, object := range selfTestObjects(edge.Group+"/"+edge.From, edge.Kind) {
			all = append(all, comparison{edge, object, ""})
		}
	}
	return all
}

// selfTest has the compiled module and the same module on the interpreter convert the same objects and demands the same
// answers, byte for byte. A compiler that gets a module wrong is rare and has happened (faults.md M17); a converter is small, so that a few
// objects reach much of it. It ends when the interpreter has used so much fuel, and changes its limits.
func selfTest(ctx context.Context, compiled, interpreted *Module, fuel int64) (compared, of int, err error) {
	all := comparisons(compiled)
	for _, c := range all {
		left := fuel - interpreted.work.Load()
		if left <= 0 {
			break
		}
		// A reactor gets FuelPerObject twice, a command once and FuelToStart: all that is left, either way.
		interpreted.limits.FuelPerObject, interpreted.limits.FuelPerByte, interpreted.limits.FuelToStart = left/2, 0, left/2
		same, conclusive := alike(ctx, compiled, interpreted, c.edge, c.object)
		switch {
		case !same && c.label != "":
			return compared, len(all), fmt.Errorf("self-test: %s: %s: compiled and interpreted, the module answers differently: the compiler gets it wrong, and it must not serve", compiled.sidecar.File, c.label)
		case !same:
			return compared, len(all), fmt.Errorf("self-test: compiled and interpreted, the module answers differently from %s to %s: the compiler gets it wrong, and it must not serve", c.edge.From, c.edge.To)
		case conclusive:
			compared++
		}
	}
	return compared, len(all), nil
}

// alike converts an object with both modules and reports whether the answers are the same. Where one has none, for time or the
// interpreter's fuel ran out, it reports that they are, and that nothing was learned. Both see of the object what the module declares.
func alike(ctx context.Context, compiled, interpreted *Module, edge artifact.Edge, object []byte) (same, conclusive bool) {
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
// when time or fuel ran out, which says nothing of the code: the interpreter is slower, and has less of both.
func answerOf(ctx context.Context, m *Module, from, to string, object []byte) (answer []byte, conclusive bool) {
	converted, refused, err := m.Convert(ctx, from, to, [][]byte{object})
	var fault *FaultError
	switch {
	case errors.As(err, &fault) && fault.blamesModule() && fault.Kind != FaultDeadline && fault.Kind != FaultFuel:
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
