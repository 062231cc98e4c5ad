package load

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/child"

	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// TestVetStagesHaveTheirOwnTime reads lines of a child: the start gets far less than the compiler,
// and no line gets a child more time than its stages have.
func TestVetStagesHaveTheirOwnTime(t *testing.T) {
	limits := module.Limits{}.WithDefaults()
	p := &vetProgress{limits: &limits, began: time.Now()}
	const start = 27 * time.Second // 2 × 10 s, 2 s and 5 s: see startTime
	for _, tc := range []struct {
		line        string
		least, most time.Duration
		stage       string
	}{
		{`not JSON`, 0, 0, stageCompile},
		{`{"Stage":""}`, 0, 0, stageCompile},
		{`{"Stage":"more"}`, 0, 0, stageCompile},
		{`{"Stage":"start","Used":5}`, start, start, stageStart},
		{`{"Stage":"start"}`, 0, 0, stageStart},
		{`{"Stage":"cases"}`, start, limits.CompileTime, stageCases},
		{`{"Stage":"start"}`, 0, 0, stageCases},
		{`{"Stage":"verdict","Error":"bad"}`, start, limits.CompileTime, stageVerdict},
		{`{"Stage":"verdict"}`, 0, 0, stageVerdict},
	} {
		if got := p.line([]byte(tc.line)); got < tc.least || got > tc.most || p.last.Stage != tc.stage {
			t.Errorf("%s: %v at stage %q, want %v to %v at %q", tc.line, got, p.last.Stage, tc.least, tc.most, tc.stage)
		}
	}
	if p.last.Error != "bad" {
		t.Errorf("the first verdict is lost: %+v", p.last)
	}
	p = &vetProgress{limits: &limits, began: time.Now().Add(-time.Hour)}
	if got := p.line([]byte(`{"Stage":"cases"}`)); got != start {
		t.Errorf("after an hour the cases get %v, want %v", got, start)
	}
}

// TestLateChildOnABusyMachine tells a child that had no processor from one that used it.
func TestLateChildOnABusyMachine(t *testing.T) {
	limits := module.Limits{}.WithDefaults()
	const (
		compile = "compiling and starting the module takes longer than 2m0s: it is built to exhaust the compiler, or is too large: shrink it, or give the gateway more CPU"
		begin   = "starting the module takes longer than 27s: it does not end, and its limits of fuel and time do not end it"
	)
	for _, tc := range []struct {
		name  string
		stage string
		used  time.Duration // beyond the 30 s of the stages before
		busy  bool
		want  string
	}{
		{"compiler", stageCompile, 100 * time.Second, false, compile},
		{"compiler, starved", stageCompile, 20 * time.Second, true, compile},
		{"start", stageStart, 100 * time.Second, false, begin},
		{"start, starved", stageStart, 20 * time.Second, true, begin},
	} {
		ago := time.Now().Add(-2 * time.Minute)
		p := &vetProgress{limits: &limits, began: ago}
		used := tc.used
		if tc.stage != stageCompile {
			p.entered, p.last = ago, vetReply{Stage: tc.stage, Used: 30 * time.Second}
			used += p.last.Used
		}
		err := p.late(used)
		if IsBusy(err) != tc.busy || !strings.HasSuffix(err.Error(), tc.want) {
			t.Errorf("%s: busy %v: %v", tc.name, IsBusy(err), err)
		}
	}
}

// TestVerdictOnABusyMachine: the deadline of a start is the machine's fault if the process got less
// than half of a processor.
func TestVerdictOnABusyMachine(t *testing.T) {
	busy := &BusyError{errors.New("starting the module: too late")}
	for _, tc := range []struct {
		name    string
		entered time.Time
		used    time.Duration
		want    bool
	}{
		{"no processor for an hour", time.Now().Add(-time.Hour), child.Used(), true},
		{"a processor of its own", time.Now().Add(-time.Hour), child.Used() - time.Hour, false},
	} {
		c := &vetChild{out: json.NewEncoder(io.Discard), entered: tc.entered, used: tc.used}
		reply := c.verdict(compareResult{}, busy)
		if reply.Busy != tc.want || reply.Error != "starting the module: too late" {
			t.Errorf("%s: %+v", tc.name, reply)
		}
	}
	if reply := (&vetChild{entered: time.Now().Add(-time.Hour)}).verdict(compareResult{}, errors.New("bad")); reply.Busy || reply.Error != "bad" {
		t.Errorf("another error: %+v", reply)
	}
}

// compareFixture compares a module with a file, which the interpreter runs.
func compareFixture(t *testing.T, l *Loader, m *module.Module, file string) (compared, of int, err error) {
	t.Helper()
	c, err := newCandidate(l, testName, fixture(t, file), nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := l.compare(context.Background(), m, c)
	return r.Compared, r.Of, err
}

// TestInterpreterIsSlowAndThatIsFine: conversions beyond the interpreter's fuel or time are not
// compared, and do not reject the module.
func TestInterpreterIsSlowAndThatIsFine(t *testing.T) {
	l := testLoader(t, smallLimits)
	m := loadFixture(t, l, "good_echo")
	if compared, of, err := compareFixture(t, l, m, "good_echo"); err != nil || compared != 6 || of != 6 {
		t.Errorf("a module that is fast enough: %d of %d compared, want 6 of 6; error %v", compared, of, err)
	}
	spins := loadFixture(t, l, "x01_spin")
	if compared, of, err := compareFixture(t, l, spins, "x01_spin"); err != nil || compared != 0 || of != 6 {
		t.Errorf("an object that takes all the fuel: %d of %d compared, want 0 of 6; error %v", compared, of, err)
	}
	for _, file := range []string{"m09_start_spin", "m09_initialize_spin"} {
		for _, limits := range []func(*module.Limits){
			func(l *module.Limits) { l.FuelToLoad = 1 },
			func(l *module.Limits) { l.LoadTime, l.FuelToLoad = time.Nanosecond, 1<<50 },
		} {
			slow := *l
			limits(&slow.limits)
			if compared, of, err := compareFixture(t, &slow, m, file); err != nil || compared != 0 || of != 6 {
				t.Errorf("%s: %d of %d compared, error %v", file, compared, of, err)
			}
		}
	}
	if _, _, err := compareFixture(t, l, m, "m09_start_trap"); err == nil || !strings.HasPrefix(err.Error(), "on the interpreter: starting the module: ") {
		t.Errorf("a start that traps on the interpreter only: %v", err)
	}
}

// TestComparisonSaysHowMuchRan: an object for each declared field reaches more of a module, and the
// comparison says how many blocks it reached.
func TestComparisonSaysHowMuchRan(t *testing.T) {
	l := testLoader(t, smallLimits)
	for _, file := range []string{"good_schedule", "good_fields"} {
		m, err := l.Load(context.Background(), testName, fixture(t, file), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		c, err := newCandidate(l, testName, fixture(t, file), nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := l.compare(context.Background(), m, c)
		if err != nil || r.Compared != r.Of || r.Ran == 0 || r.Ran >= r.Blocks {
			t.Errorf("%s: %+v, %v", file, r, err)
		}
		if want := map[string]int{"good_schedule": 6, "good_fields": 16}[file]; r.Of != want {
			t.Errorf("%s: %d objects, want %d", file, r.Of, want)
		}
		t.Logf("%s: %+v", file, r)
	}
}
