package compare

import (
	"context"
	"time"
)

// Try loads a module as a gateway does, and measures it on the objects of the pairs. It fills in
// their times, and returns the time of CPU that loading takes.
type Try func(ctx context.Context, module string, pairs []Measurement) (load time.Duration, err error)

// Measurement is one direction that Try measures.
type Measurement struct {
	From, To     string
	Object       []byte
	One, InAList time.Duration // of CPU, for one object: by itself, and in a list of 1,000
}

// Runs and ListRuns are how often the time of an object by itself, and of one in a list, is measured. The
// least counts: other work on the machine makes the others longer. A run with lists takes as long as
// ten of the others.
const Runs, ListRuns = 10, 3

// measure measures the module on the object that was timed with the operator's code.
func (try Try) measure(ctx context.Context, module string, pairs []Pair) error {
	var measured []Measurement
	for _, p := range pairs {
		measured = append(measured, Measurement{From: p.From, To: p.To, Object: p.Sample})
	}
	if _, err := try(ctx, module, measured); err != nil {
		return err
	}
	for i := range pairs {
		pairs[i].Module, pairs[i].ModuleInAList = measured[i].One, measured[i].InAList
	}
	return nil
}
