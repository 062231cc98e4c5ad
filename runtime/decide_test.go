package runtime

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// TestPlanDecides plans the scan of one file with each state of its module. A plan changes nothing:
// every plan is made twice.
func TestPlanDecides(t *testing.T) {
	const file, base = "K.g_v1_v2.wasm", "K.g_v1_v2"
	now := time.Now()
	snapshot := snapshotOf(file)
	content := &job{name: testName, file: snapshot.Files[0]}
	sum := content.contentSum()
	failed := func(retryAt time.Time) *failure {
		return &failure{file: file, contentSum: sum, err: errors.New("bad"), retryAt: retryAt}
	}
	other := &job{name: testName, file: snapshotOf("other").Files[0]}
	serving := loadFixture(t, smallLimits, "good_echo")
	for _, tc := range []struct {
		name  string
		entry *entry // nil: the module is not known
		job   *job   // being loaded
		want  action
		again bool
	}{
		{"a new file", nil, nil, begin, false},
		{"other content serves", &entry{serving: serving}, nil, begin, false},
		{"it is being loaded", &entry{}, content, leave, false},
		{"other content is being loaded", &entry{}, other, begin, false},
		{"it failed just now", &entry{failure: failed(now.Add(time.Second))}, nil, leave, false},
		{"it failed a while ago", &entry{failure: failed(now)}, nil, begin, true},
		{"it was denied and is allowed now", &entry{failure: failed(time.Time{})}, nil, begin, false},
		{"other content failed", &entry{failure: &failure{file: file, retryAt: now.Add(time.Hour)}}, nil, begin, false},
		{"it was rolled back", &entry{serving: serving, banned: map[[32]byte]ban{sum: {}}}, nil, refuse, false},
	} {
		k := known{entries: map[string]*entry{}, jobs: map[string]*job{}}
		if tc.entry != nil {
			k.entries[base] = tc.entry
		}
		if tc.job != nil {
			k.jobs[base] = tc.job
		}
		for range 2 {
			p := planScan(scanOf(snapshot, false), k, now)
			if len(p.steps) != 1 || p.steps[0].do != tc.want || p.steps[0].job.again != tc.again || len(p.rejected) != 0 {
				t.Errorf("%s: steps %+v, want %s, again %v; rejected %v", tc.name, p.steps, tc.want, tc.again, p.rejected)
			}
		}
	}

	k := known{entries: map[string]*entry{base: {serving: serving}}}
	p := planScan(scanOf(snapshotOf(file, base+Tombstone), false), k, now)
	if len(p.steps) != 0 || !p.removed[base] || !strings.HasPrefix(p.rejected[file], "taken out of service") {
		t.Errorf("a removed module: %+v", p)
	}
}
