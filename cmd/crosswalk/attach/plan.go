package attach

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/version"
)

// Goal is a change of a definition's versions.
type Goal struct {
	Remove string // the version that is to leave; "" = none, and the goal is to store To
	To     string // the version that is to be stored; "" = the present one or the newest that stays
	// MaxSamples bounds the stored objects that are converted; 0 = all.
	MaxSamples int
	// Idle is the time without a write at Remove after which nobody is taken to write at it.
	Idle time.Duration
	// Manifests are places in files that still name Remove, and Files is the number of files that were read.
	Manifests []string
	Files     int
	// Report receives a line now and then while many objects are read or converted. It may be nil.
	Report func(Progress)
}

// State is the state of a step.
type State string

// The states. The first step that is not done decides what happens next: all later ones are done, or
// blocked until it is.
const (
	Done    State = "DONE"
	Ready   State = "READY"
	Blocked State = "BLOCKED"
	Unknown State = "UNKNOWN" // it could not be measured
)

// Step is one step of a plan, as it was measured in the cluster.
type Step struct {
	Name     string   `json:"name"`  // one of the constants below
	Title    string   `json:"title"` // in words
	State    State    `json:"state"`
	Evidence []string `json:"evidence,omitempty"`
	Remedy   string   `json:"remedy,omitempty"`  // for a step that is BLOCKED or UNKNOWN
	Warning  string   `json:"warning,omitempty"` // to be confirmed before the step is done
}

// The steps, in their order.
const (
	StepConversion = "conversion"
	StepObjects    = "objects"
	StepServe      = "serve"
	StepStore      = "store"
	StepMigrate    = "migrate"
	StepUnserve    = "unserve"
	StepFields     = "managedFields"
	StepRemove     = "remove"
)

// Plan has the steps to a goal.
type Plan struct {
	Definition string `json:"definition"`
	Remove     string `json:"remove,omitempty"`
	To         string `json:"to"`
	Steps      []Step `json:"steps"`
}

// Next returns the first step that is not done; nil if all are.
func (p *Plan) Next() *Step {
	for i := range p.Steps {
		if p.Steps[i].State != Done {
			return &p.Steps[i]
		}
	}
	return nil
}

// Plan measures how far a definition is on its way to a goal. It changes nothing.
func (c *Cluster) Plan(ctx context.Context, t *Target, g Goal) (*Plan, error) {
	p, err := newPlanner(c, t, g)
	if err != nil {
		return nil, err
	}
	return p.plan(ctx)
}

// planner measures the steps to a goal. It keeps the result of a conversion of all objects, so that
// each of the later steps does not repeat it.
type planner struct {
	cluster *Cluster
	target  *Target
	crd     *apiextensions.CustomResourceDefinition
	goal    Goal
	objects *Step
	quiet   time.Duration // between two lines of progress
}

// planner checks a goal against the definition, and fills in the version that stays.
func newPlanner(c *Cluster, t *Target, g Goal) (*planner, error) {
	if t.Composite() {
		return nil, fmt.Errorf("%s: Crossplane makes the CustomResourceDefinition of it, and would undo a change of its versions: change the versions there, and use crosswalk migrate-storage", t)
	}
	crd := t.Definitions[0]
	if crd.DeletionTimestamp != nil {
		return nil, errDeleting(crd)
	}
	all := named(crd)
	others := slices.DeleteFunc(slices.Clone(all), func(v string) bool { return v == g.Remove })
	switch {
	case len(others) == 0:
		return nil, fmt.Errorf("%s is the only version of %s: add the version that is to replace it first", g.Remove, crd.Name)
	case g.To == "" && g.Remove != "" && storage(crd) != g.Remove:
		g.To = storage(crd)
	case g.To == "":
		g.To = slices.MaxFunc(others, version.CompareKubeAwareVersionStrings)
	case !slices.Contains(all, g.To):
		return nil, fmt.Errorf("%s does not name the version %s, but %s: add it first, unserved", crd.Name, g.To, strings.Join(all, ", "))
	}
	return &planner{cluster: c, target: t, crd: crd, goal: g, quiet: progressTime}, nil
}

// plan measures all steps.
func (p *planner) plan(ctx context.Context) (*Plan, error) {
	plan := &Plan{Definition: p.crd.Name, Remove: p.goal.Remove, To: p.goal.To}
	survey, err := p.cluster.survey(ctx, p.crd, p.progress())
	if err == nil && p.unknown(survey) {
		return nil, fmt.Errorf("%s does not name the version %s, but %s, and no object has managedFields at %[2]s: either nothing is left to do, or the version is mistyped",
			p.crd.Name, p.goal.Remove, strings.Join(named(p.crd), ", "))
	}
	plan.Steps = append(plan.Steps, p.conversion(ctx, survey, err))
	plan.Steps = append(plan.Steps, p.convertObjects(ctx, plan.Steps[0].State, survey.Objects), p.serve(), p.store(), p.migrate(survey, err))
	if p.goal.Remove != "" {
		plan.Steps = append(plan.Steps, p.unserve(survey, err), p.carry(survey, err), p.remove())
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for i, first := range plan.Steps {
		if first.State == Done {
			continue
		}
		for j := i + 1; j < len(plan.Steps); j++ {
			if s := &plan.Steps[j]; s.State == Ready {
				s.State, s.Remedy = Blocked, fmt.Sprintf("after step %d", i+1)
			}
		}
		break
	}
	return plan, nil
}

// progress returns the progress of a measurement that begins now.
func (p *planner) progress() *progress {
	return &progress{report: p.goal.Report, quiet: p.quiet, last: time.Now()}
}

// unknown reports whether nothing shows that the definition ever had the version that is to leave.
func (p *planner) unknown(all Survey) bool {
	v := p.goal.Remove
	return v != "" && !slices.Contains(named(p.crd), v) && !slices.Contains(retired(p.crd), v) &&
		!slices.ContainsFunc(all.Writers, func(w Writer) bool { return w.Version == v })
}

// retired returns the versions that Retire removed from a definition.
func retired(crd *apiextensions.CustomResourceDefinition) []string {
	return strings.Split(crd.Annotations[RetiredAnnotation], ",")
}

// unmeasured returns a step that could not be measured.
func unmeasured(s Step, err error) Step {
	s.State, s.Remedy = Unknown, ""
	text, remedy := evidence(err)
	s.Evidence = append(s.Evidence, text)
	if Forbidden(err) || strings.Contains(err.Error(), "is forbidden: ") {
		s.Remedy = "ask for this right"
	} else if remedy != "" {
		s.Remedy = remedy
	}
	return s
}

// ErrStopped is the cause if a step is not ready, or was not confirmed.
var ErrStopped = errors.New("stopped")
