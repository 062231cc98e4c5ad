package runtime

import (
	"errors"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/load"
)

// TestSlowModuleKeepsItsConversionW24: of two modules that claim a conversion, the faster one does not
// get it while the better one was not tried or failed on a busy machine: another replica may have loaded
// both. A conversion that is served meanwhile stays served.
func TestSlowModuleKeepsItsConversionW24(t *testing.T) {
	const better, worse = "K.g_v1_v2", "K.g_v1_v2_v3"
	bad, busy := errors.New("bad"), &load.BusyError{Err: errors.New("bad")}
	for _, tc := range []struct {
		name    string
		waits   bool // the better one waits to be loaded
		again   bool // after it failed
		failed  error
		orphan  bool // the other one has no file
		serving bool // the other one has converted it so far
		want    bool // the other one converts it
	}{
		{"it was not tried", true, false, nil, false, false, false},
		{"it was not tried, and the conversion is served", true, false, nil, false, true, true},
		{"it failed on a busy machine", false, false, busy, false, false, false},
		{"it is tried again after that", true, true, busy, false, false, false},
		{"it cannot be loaded", false, false, bad, false, false, true},
		{"it is tried again although it cannot be loaded", true, true, bad, false, false, true},
		{"it has new content after content that could not be loaded", true, false, bad, false, false, false},
		{"the other one has no file", true, false, nil, true, false, false},
	} {
		r := resting(t)
		s := r.state.entry(worse)
		s.serving, s.present = loadFixtureAs(t, smallLimits, "good_echo", worse), !tc.orphan
		jobs := map[string]*job{}
		if tc.waits {
			jobs[better] = jobOf(t, better, 1)
			jobs[better].again = tc.again
		}
		if tc.failed != nil {
			r.state.entry(better).failure = &failure{file: better + ".wasm", err: tc.failed}
		}
		if tc.serving {
			r.publish(r.holders.newSet(nil, []Binding{{Edge: artifact.Edge{Group: "g", Kind: "K", From: "v1", To: "v2"}, Module: s.serving}}, nil))
		}
		_, bindings, _, _ := r.state.bind(jobs)
		bound := map[string]bool{}
		for _, b := range bindings {
			bound[b.From+b.To] = true
		}
		if bound["v1v2"] != tc.want || !bound["v1v3"] {
			t.Errorf("%s: the other one converts v1→v2: %v, want %v; all: %v", tc.name, bound["v1v2"], tc.want, bindings)
		}
	}
	r := resting(t)
	r.state.entry(better).serving, r.state.entries[better].present = loadFixtureAs(t, smallLimits, "good_echo", better), true
	if _, bindings, _, _ := r.state.bind(map[string]*job{worse: jobOf(t, worse, 1)}); len(bindings) != 2 {
		t.Errorf("a module waits for one of lesser rank: %v", bindings)
	}
}

// TestFirstPackingIsChosenW24: of two packings of one module, each replica chooses the same, whichever
// it found first.
func TestFirstPackingIsChosenW24(t *testing.T) {
	const plain, packed = "K.g_v1_v2.wasm", "K.g_v1_v2.wasm.zst"
	f := &following{t: t, dir: t.TempDir()}
	f.put(packed, string(zstandard(t, fixture(t, "good_echo").Content)))
	f.run(Config{})
	f.until("the packed one serves", f.serves(packed))
	f.put(plain, "good_refuse")
	f.until("the plain one serves", f.serves(plain))
	if s := f.status(packed); s.LastError != "the directory has the same module as "+plain+"; delete one of them" {
		t.Errorf("the packed one: %+v", s)
	}
}
