// Package adopttest compares a module that crosswalk adopt made with the operator's own Go code.
// The test that crosswalk adopt writes calls it, built with the operator's packages as they are.
package adopttest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"
	"time"
)

// Version is one version of a kind, with the operator's own conversions.
type Version struct {
	apiVersion string
	of         reflect.Type
	to, from   func(spoke, hub any) error
	defaults   func(v any)
}

// WithDefaults returns a version whose results setDefaults completes, as knative's webhook does.
func WithDefaults[T any](v Version, setDefaults func(o *T)) Version {
	v.defaults = func(o any) { setDefaults(o.(*T)) }
	return v
}

// Hub is the version H that all others convert to and from.
func Hub[H any](apiVersion string) Version {
	return Version{apiVersion: apiVersion, of: reflect.TypeFor[H]()}
}

// Spoke is a version S with its conversions to the hub H and from it.
func Spoke[S, H any](apiVersion string, to func(spoke *S, hub *H) error, from func(hub *H, spoke *S) error) Version {
	return Version{
		apiVersion: apiVersion, of: reflect.TypeFor[S](),
		to:   func(spoke, hub any) error { return to(spoke.(*S), hub.(*H)) },
		from: func(spoke, hub any) error { return from(hub.(*H), spoke.(*S)) },
	}
}

// Kind is a kind and the module that converts it.
type Kind struct {
	Name, Module string
	Hub          Version
	Spokes       []Version
	// Unmarshal decodes an object; nil means json.Unmarshal.
	Unmarshal func(data []byte, v any) error
	// TypeMeta says that the apiVersion and kind of a result are those that the conversion leaves, as in
	// controller-runtime's webhook: an API server refuses others.
	TypeMeta bool
}

// Report is the result of a run, for crosswalk adopt.
type Report struct {
	Pairs []Pair
}

// Pair is one direction.
type Pair struct {
	From, To                                         string
	Samples, Given                                   int          // of the compared objects: the operator's samples; with those made from its definition
	FailedSamples                                    []Text       // the operator's code refuses these, or panics
	Compared, Refused, Panicked, Differing, Unstable int          // numbers of objects
	Differences                                      []Difference // some, each at another path
	Refusals, Panics                                 []Text       // distinct texts of the operator's code, the most frequent first
	NeverAccepted                                    []Unaccepted // members whose objects are all refused
	NeverCompared                                    []string     // members that no compared object has
	UnstableAt                                       []string     // where results of the operator's code differ from each other
	Unseen                                           int          // objects whose results depend on metadata that a gateway shows no module
	UnseenAt                                         []string     // the places in these results
	Native, NativeInAList                            time.Duration
	Sample                                           json.RawMessage // the object that was timed; the times are CPU of the types for one: by itself, and among 1,000
}

// Difference is a place where the module's result is not the operator's.
type Difference struct {
	Path         string
	Module, Want string // texts of JSON; or of an error
	Object       string
}

// Text is the text of an error with the number of its objects.
type Text struct {
	Text  string
	Count int
}

// Unaccepted is a member that only refused objects have.
type Unaccepted struct {
	Path, Text string // the text of a refusal
	Tries      int
}

// modulesVariable names the modules to compare, separated as in PATH, instead of the one in the project. The
// first is the project's, which adopt puts there only if it is not worse than an earlier one. The others are
// compared with the same objects, and the report of each is written beside it: tests of the comparison see
// whether it notices modules that have a mistake.
const modulesVariable = "CROSSWALK_ADOPT_MODULES"

// Run compares, for each pair of versions, the results for the objects of inputs.json, random
// objects, objects with every member, objects that ran new code, results of the way back, objects
// with one member absent or null, and fragments. Results must be equal after removing the metadata that an
// API server restores; of fragments, after decoding and encoding both with the types, too. Refusals must have the
// same text, but for errors of encoding/json.
//
// The comparison has a time zone of its own, +05:45, unless set-up code has set time.Local.
//
// A comparison that uses an hour of CPU time ends with the process.
func Run(t *testing.T, k Kind) {
	setZone()
	stop := make(chan struct{})
	defer close(stop)
	go bound(mostCPU, time.Second, cpuTime, stop, endProcess) // ends with the comparison
	modules := filepath.SplitList(cmp.Or(os.Getenv(modulesVariable), k.Module))
	reports := make([]Report, len(modules))
	versions := append([]Version{k.Hub}, k.Spokes...)
	given, err := readInputs(inputsName)
	if err != nil {
		t.Fatal(err)
	}
	seed := int64(0)
	for _, from := range versions {
		for _, to := range versions {
			if from.apiVersion == to.apiVersion {
				continue
			}
			seed++
			t.Run(from.apiVersion+" to "+to.apiVersion, func(t *testing.T) {
				c := comparison{kind: k, from: from, to: to, r: rand.New(rand.NewSource(seed)), given: given, structs: structsIn(from.of)}
				for i, pair := range c.run(t, modules) {
					reports[i].Pairs = append(reports[i].Pairs, pair)
				}
			})
		}
	}
	for i, module := range modules {
		name := module + ".report.json"
		if i == 0 {
			name = os.Getenv("CROSSWALK_ADOPT_REPORT")
		}
		if err := reports[i].write(name); err != nil {
			t.Error(err)
		}
	}
}

// write writes the report, if there is a name.
func (r Report) write(name string) error {
	if name == "" {
		return nil
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o644)
}

// mostCPU ends a comparison with a conversion that does not return. A bound of wall time would end
// comparisons on a busy machine.
const mostCPU = time.Hour

// bound calls end once the process has used so much CPU time more, and asks each interval, until stop is closed.
func bound(most, interval time.Duration, used func() time.Duration, stop <-chan struct{}, end func()) {
	for begin := used(); used()-begin < most; {
		select {
		case <-stop:
			return
		case <-time.After(interval):
		}
	}
	end()
}

// endProcess ends the process like an error of Go's runtime that no program recovers from, with the
// goroutines that run. crosswalk adopt reads this output.
func endProcess() {
	text := make([]byte, 1<<20)
	text = text[:runtime.Stack(text, true)]
	_, _ = fmt.Fprintf(os.Stderr, "fatal error: %v of CPU are used\n\n%s\n", mostCPU, running(text))
	os.Exit(2)
}

// running returns the traces of the goroutines that run or could, apart from the first, which asks for them.
func running(traces []byte) []byte {
	var found [][]byte
	for _, trace := range bytes.Split(traces, []byte("\n\n"))[1:] {
		header, _, _ := bytes.Cut(trace, []byte("\n"))
		if bytes.Contains(header, []byte("[run")) {
			found = append(found, trace)
		}
	}
	return bytes.Join(found, []byte("\n\n"))
}
