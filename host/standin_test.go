package host

import (
	"context"
	"strings"
	"testing"
	"time"
)

// succeedingModule is a module with a version before that stands by.
type succeedingModule struct {
	*funcModule
	previous  *funcModule // nil: none
	confirmed []string
}

func (m *succeedingModule) OnProbation() bool { return m.previous != nil }

func (m *succeedingModule) Instead(ctx context.Context, from, to string, objects [][]byte) ([][]byte, map[int]string, func(string), bool) {
	converted, refused, err := m.previous.Convert(ctx, from, to, objects)
	return converted, refused, func(why string) { m.confirmed = append(m.confirmed, why) }, err == nil
}

// TestStandIn has the version before convert what the module's answers to break the contract.
func TestStandIn(t *testing.T) {
	const bad, good = `{"kind":"Other"}`, `{"spec":{"by":"previous"}}`
	refusing := &funcModule{one: func(_, _ string, _ []byte) ([]byte, string) { return nil, "not this one" }}
	failing := &funcModule{all: func(context.Context, string, string, [][]byte) ([][]byte, map[int]string, error) {
		return nil, nil, &faultError{FaultTrap, "trap"}
	}}
	short := &funcModule{all: func(context.Context, string, string, [][]byte) ([][]byte, map[int]string, error) {
		return nil, nil, nil
	}}
	for _, test := range []struct {
		name          string
		now, previous *funcModule
		want          string // in the answer
		failure       string
		confirmed     int
	}{
		{"good answers", answers(`{"spec":{"by":"new"}}`), answers(good), `"by":"new"`, "", 0},
		{"a broken contract", answers(bad), answers(good), `"by":"previous"`, "", 1},
		{"too few answers", short, answers(good), `"by":"previous"`, "", 1},
		{"none stands by", answers(bad), nil, "a conversion may not change the kind", FailureContract, 0},
		{"both break it", answers(bad), answers(`{"apiVersion":"g/v9"}`), "a conversion may not change the kind", FailureContract, 0},
		{"the one before fails", answers(bad), failing, "a conversion may not change the kind", FailureContract, 0},
		{"the one before refuses", answers(bad), refusing, "not this one", FailureRefused, 1},
		{"a refusal is no breach", refusing, answers(good), "not this one", FailureRefused, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.now.name = "CronTab.stable.example.com_v1_v2.wasm"
			m := &succeedingModule{funcModule: test.now, previous: test.previous}
			routes := NewRoutes([]Edge{{"stable.example.com", "CronTab", "v1", "v2", m}})
			c := NewConverter(ConverterConfig{Modules: &fixedModules{routes: routes}})
			answer, outcome, err := c.Review(context.Background(), []byte(reviewOf("v1", "stable.example.com/v2", cron)))
			if err != nil || outcome.Failure != test.failure || !strings.Contains(string(answer), test.want) {
				t.Errorf("%+v, %v\n%s\nwant %s, %s", outcome, err, answer, test.failure, test.want)
			}
			if len(m.confirmed) != test.confirmed {
				t.Errorf("confirmed: %q", m.confirmed)
			}
		})
	}
}

// pureSucceeding is one that says to the cache that nobody stands by, as one does whose probation ends at that moment or begins.
type pureSucceeding struct{ *succeedingModule }

func (pureSucceeding) Pure() bool { return true }

// TestStandInForACachedModule: what the version before answers is not kept, and an object that looks alike to the module does not wait for it.
func TestStandInForACachedModule(t *testing.T) {
	now := answers(`{"kind":"Other"}`)
	now.name, now.fields = "CronTab.stable.example.com_v1_v2.wasm", []string{"spec.cronSpec"}
	m := pureSucceeding{&succeedingModule{funcModule: now, previous: answers(`{"spec":{"cronSpec":"previous"}}`)}}
	c, cache := cached(m, 1<<20)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	answer, outcome, err := c.Review(ctx, reviewFor(cronNamed("a", ""), cronNamed("b", "")))
	if err != nil || outcome.Failure != "" || strings.Count(string(answer), `"cronSpec":"previous"`) != 2 {
		t.Errorf("%+v, %v\n%s", outcome, err, answer)
	}
	if ctx.Err() != nil {
		t.Error("it waited for itself")
	}
	if n := cache.use().entries; n != 0 {
		t.Errorf("%d answers of the version before were kept", n)
	}
}
