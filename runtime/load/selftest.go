package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// compare loads a module again on the interpreter and compares it with its compiled form: see
// selfTest. Conversions beyond the interpreter's fuel or the time of ctx are not compared: a slow
// interpreter or machine shows nothing about the code.
func (l *Loader) compare(ctx context.Context, compiled *module.Module, c *candidate) (r compareResult, err error) {
	slow := *l
	slow.interpret, slow.stages = true, noStages{}
	slow.limits.FuelToLoad = min(l.limits.FuelToLoad, compareFuel(c.wasmSize)/2)
	interpreted, err := slow.Load(ctx, c.name, c.file, c.beside)
	var fault *module.FaultError
	switch {
	case errors.As(err, &fault) && (fault.Kind == faults.Fuel || fault.Kind == faults.Deadline):
		return compareResult{Of: len(comparisons(compiled))}, nil
	case err != nil:
		return r, fmt.Errorf("on the interpreter: %w", err)
	}
	defer interpreted.Close()
	return selfTest(ctx, compiled, interpreted, compareFuel(c.wasmSize)/2)
}

// compareFuel is the interpreter's fuel for a module of so many bytes: half to start, half to
// convert. The interpreter uses 100 to 200 million units of fuel a second, and compiling takes 0.4
// s per MB: 10 units per byte are at most a sixth of that, and 25 million are a quarter of a second
// for a small module. The examples in every language need less: Go 2.4 million to start,
// JavaScript's engine 10 million for all golden cases and made-up objects.
func compareFuel(size int) int64 { return 25_000_000 + 10*int64(size) }

// comparison is an object that both forms of a module convert.
type comparison struct {
	edge   artifact.Edge
	object []byte
	label  string // of a golden case; empty for a made-up object
}

// comparisons are the golden cases of a module, made-up objects, and some with its declared fields. The golden cases come first:
// the module has converted them before, and made-up objects have not yet opened its circuit
// breaker.
func comparisons(m *module.Module) (all []comparison) {
	for i := range m.Sidecar().Cases {
		c := &m.Sidecar().Cases[i]
		all = append(all, comparison{c.Edge, c.Object, c.Label})
	}
	for _, edge := range m.Edges() {
		version := edge.Group + "/" + edge.From
		for _, object := range slices.Concat(module.SampleObjects(version, edge.Kind), module.ObjectsWith(version, edge.Kind, m.Fields(edge.From, edge.To))) {
			all = append(all, comparison{edge, object, ""})
		}
	}
	return all
}

// selfTest converts the same objects with the compiled and the interpreted module and requires the
// same answers, byte for byte. Miscompilation is rare but has happened (faults.md M17); a converter
// is small, so a few objects reach much of it. selfTest ends when the interpreter has used so much
// fuel, and changes the interpreter's limits.
func selfTest(ctx context.Context, compiled, interpreted *module.Module, fuel int64) (r compareResult, err error) {
	all := comparisons(compiled)
	r.Of = len(all)
	defer func() { r.Ran, r.Blocks = interpreted.Blocks() }()
	for _, c := range all {
		left := fuel - interpreted.Work()
		if left <= 0 {
			break
		}
		interpreted.LimitFuel(left)
		same, conclusive := alike(ctx, compiled, interpreted, c.edge, c.object)
		switch {
		case !same && c.label != "":
			return r, fmt.Errorf("self-test: %s: %s: compiled and interpreted, the module answers differently: the compiler gets it wrong, and it must not serve", compiled.Sidecar().File, c.label)
		case !same:
			return r, fmt.Errorf("self-test: compiled and interpreted, the module answers differently from %s to %s: the compiler gets it wrong, and it must not serve", c.edge.From, c.edge.To)
		case conclusive:
			r.Compared++
		}
	}
	return r, nil
}

// alike converts an object with both modules and reports whether the answers are the same. If one
// of them ran out of time or fuel, the result is inconclusive. Both modules see the declared
// fields.
func alike(ctx context.Context, compiled, interpreted *module.Module, edge artifact.Edge, object []byte) (same, conclusive bool) {
	from, to := edge.Group+"/"+edge.From, edge.Group+"/"+edge.To
	object = compiled.View(edge, object)
	a, aOK := answerOf(ctx, compiled, from, to, object)
	b, bOK := answerOf(ctx, interpreted, from, to, object)
	if !aOK || !bOK {
		return true, false
	}
	return bytes.Equal(a, b), true
}

// answerOf returns a module's answer to one object: the answer's bytes, a refusal or the kind of a
// fault. It returns false if time or fuel ran out, which shows nothing about the code: the
// interpreter is slower, and has less of both.
func answerOf(ctx context.Context, m *module.Module, from, to string, object []byte) (answer []byte, conclusive bool) {
	converted, refused, err := m.Convert(ctx, from, to, [][]byte{object})
	var fault *module.FaultError
	switch {
	case errors.As(err, &fault) && fault.BlamesModule() && fault.Kind != faults.Deadline && fault.Kind != faults.Fuel:
		return []byte("fault " + fault.Kind), true
	case err != nil:
		return nil, false
	case refused != nil:
		return []byte("refused " + refused[0]), true
	}
	return converted[0], true
}
