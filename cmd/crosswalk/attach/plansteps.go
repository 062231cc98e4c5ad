package attach

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/plural"
)

// conversion is done if the stanza leads to a webhook that converts between all versions of the plan,
// or if nothing is to be converted any more: a gateway that is gone blocks nothing then.
func (p *planner) conversion(ctx context.Context, all Survey, err error) Step {
	s := Step{Name: StepConversion, Title: "the conversion answers", State: Done}
	if slices.Equal(used(p.crd), []string{p.goal.To}) && (!webhook(p.crd) || err == nil && len(Stale(p.crd, all.Writers)) == 0) {
		s.Evidence = []string{"nothing is to be converted: only " + p.goal.To + " is served and stored"}
		return s
	}
	if !webhook(p.crd) && needed(ctx, p.crd) == "" {
		s.Evidence = []string{oneSchema(p.crd)}
		return s
	}
	checks := p.cluster.Probe.examine(ctx, p.target, p.target.Conversion(), 0) // the next step has the objects
	for _, check := range checks {
		switch {
		case check.Result == Failed && strings.Contains(check.Text, "is forbidden: "):
			s.State, s.Remedy = Unknown, "ask for this right"
		case check.Result == Failed && s.State == Done:
			s.State, s.Remedy = Blocked, check.Remedy
		case check.Result == Passed && !strings.Contains(check.Name, "onversion at "):
			continue
		}
		s.Evidence = append(s.Evidence, check.Name+": "+check.Text)
	}
	return s
}

func oneSchema(crd *apiextensions.CustomResourceDefinition) string {
	return "nothing is to be converted: " + strings.Join(used(crd), ", ") + " have one schema"
}

// convertObjects is done if every stored object converts to all other versions and back. all is the
// number of objects, for the progress; 0 = unknown.
func (p *planner) convertObjects(ctx context.Context, conversion State, all int) Step {
	s := Step{Name: StepObjects, Title: "the stored objects convert", State: Done}
	to := []string{p.goal.To}
	for _, v := range append(used(p.crd), p.goal.Remove) {
		if !slices.Contains(to, v) && slices.Contains(named(p.crd), v) && (slices.Contains(used(p.crd), v) || v == p.goal.To) {
			to = append(to, v)
		}
	}
	switch {
	case len(to) == 1:
		s.Evidence = []string{"only " + p.goal.To + " is served and stored"}
		return s
	case !webhook(p.crd) && needed(ctx, p.crd) == "":
		s.Evidence = []string{oneSchema(p.crd)}
		return s
	case p.objects != nil:
		return *p.objects
	case conversion != Done:
		s.State = Ready // and plan makes it wait for the conversion
		return s
	}
	converter, err := p.cluster.Probe.converter(ctx, p.crd, nil)
	if err != nil {
		return unmeasured(s, err)
	}
	defer converter.close()
	done, failed, rest := 0, 0, ""
	progress := p.progress()
	for text, err := range p.cluster.Stored(ctx, p.crd, "") {
		if err != nil {
			s = unmeasured(s, err)
			if webhookFailed(err.Error()) {
				s.State = Blocked
			}
			return s
		}
		if p.goal.MaxSamples > 0 && done+failed == p.goal.MaxSamples {
			rest = "; --max-samples leaves out the others"
			break
		}
		progress.line(func() Progress {
			of := ""
			if all >= done+failed { // others may create objects meanwhile
				of = fmt.Sprintf(" of %d", all)
			}
			return Progress{Text: fmt.Sprintf("%d%s objects converted there and back", done+failed, of)}
		})
		o := &unstructured.Unstructured{}
		if err := json.Unmarshal(text, &o.Object); err != nil {
			return unmeasured(s, err)
		}
		o.SetManagedFields(nil)
		if err := thereAndBack(ctx, o, p.crd.Spec.Group, to, converter.convert); err != nil {
			if ctx.Err() != nil {
				return unmeasured(s, ctx.Err())
			}
			if failed++; failed <= maxNamed {
				s.Evidence = append(s.Evidence, fmt.Sprintf("%s: %v", title(o), err))
			}
			continue
		}
		done++
	}
	if failed > 0 {
		s.State, s.Remedy = Blocked, "fix the module, or the objects at the version in which they are stored"
		if failed > maxNamed {
			s.Evidence = append(s.Evidence, fmt.Sprintf("and %d more", failed-maxNamed))
		}
	}
	s.Evidence = append(s.Evidence, fmt.Sprintf("%s converted between %s and back%s", plural.Count(done, "object"), strings.Join(to, ", "), rest))
	p.objects = &s
	return s
}

func (p *planner) serve() Step {
	s := Step{Name: StepServe, Title: "serve " + p.goal.To, State: Ready, Evidence: []string{"served: " + strings.Join(served(p.crd), ", ")}}
	if slices.Contains(served(p.crd), p.goal.To) {
		s.State = Done
	}
	return s
}

func (p *planner) store() Step {
	s := Step{Name: StepStore, Title: "store new objects in " + p.goal.To, State: Ready, Evidence: []string{"storage version: " + storage(p.crd)}}
	if storage(p.crd) == p.goal.To {
		s.State = Done
	}
	return s
}

// migrate is done if a migration of this tool covers the definition as it is now, or if no version that an
// object could be stored in is left: an API server cannot list an object of a version that the definition
// does not name.
func (p *planner) migrate(all Survey, err error) Step {
	s := Step{Name: StepMigrate, Title: "rewrite the stored objects in " + p.goal.To, State: Ready}
	s.Evidence = []string{"status.storedVersions: " + strings.Join(p.crd.Status.StoredVersions, ", ")}
	switch {
	case storage(p.crd) != p.goal.To || !onlyStored(p.crd, p.goal.To):
		if all.Objects > 0 {
			s.Evidence = append(s.Evidence, fmt.Sprintf("%s; an API server does not tell which of them are stored in another version", plural.Count(all.Objects, "object")))
		}
	case recorded(p.crd):
		s.State = Done
		s.Evidence = append(s.Evidence, "a migration has rewritten all objects, and the specification has not changed since")
	case len(named(p.crd)) > 1:
		s.Evidence = append(s.Evidence, "that shows no rewritten object: no migration of this tool covers the specification as it is now")
	case err != nil:
		return unmeasured(s, err)
	default:
		s.State = Done
		s.Evidence = append(s.Evidence, "all objects can be read, and the definition names no other version")
	}
	return s
}

// unserve is blocked while manifests name the version, or somebody wrote at it a short time ago.
func (p *planner) unserve(all Survey, err error) Step {
	v := p.goal.Remove
	s := Step{Name: StepUnserve, Title: "stop serving " + v, State: Ready, Warning: "requests at " + v + " fail with 404 from then on"}
	for _, w := range all.Writers {
		if w.Version == v {
			s.Evidence = append(s.Evidence, w.String())
		}
	}
	switch {
	case !slices.Contains(served(p.crd), v):
		s.State, s.Evidence = Done, []string{"served: " + strings.Join(served(p.crd), ", ")}
		return s
	case err != nil:
		return unmeasured(s, err)
	case len(s.Evidence) == 0:
		s.Evidence = []string{"no field manager has written at " + v}
	}
	if slices.ContainsFunc(all.Writers, func(w Writer) bool { return w.Version == v && time.Since(w.Last) < p.goal.Idle }) {
		s.State = Blocked
		s.Remedy = fmt.Sprintf("move these clients to %s, then wait until their last request at %s is %s ago, or lower --idle", p.goal.To, v, strings.Replace(p.goal.Idle.String(), "m0s", "m", 1))
	}
	if p.goal.Files > 0 && len(p.goal.Manifests) == 0 {
		s.Evidence = append(s.Evidence, fmt.Sprintf("%s read: none names %s", plural.Count(p.goal.Files, "manifest file"), v))
	}
	if len(p.goal.Manifests) > 0 {
		s.State, s.Remedy = Blocked, "move the manifests to "+p.goal.To
		for _, place := range p.goal.Manifests[:min(len(p.goal.Manifests), maxNamed)] {
			s.Evidence = append(s.Evidence, place+" names "+v)
		}
		if more := len(p.goal.Manifests) - maxNamed; more > 0 {
			s.Evidence = append(s.Evidence, fmt.Sprintf("and %d more", more))
		}
	}
	return s
}

// carry is done if no object has managedFields at a version that the definition does not serve.
func (p *planner) carry(all Survey, err error) Step {
	s := Step{Name: StepFields, Title: "carry managedFields over to " + p.goal.To, State: Done}
	if err != nil {
		return unmeasured(s, err)
	}
	for _, w := range all.Writers {
		if w.Version == p.goal.Remove || !slices.Contains(served(p.crd), w.Version) {
			s.State = Ready
			s.Evidence = append(s.Evidence, w.String())
		}
	}
	if s.State == Done {
		s.Evidence = []string{fmt.Sprintf("%s without an entry at %s", plural.Count(all.Objects, "object"), p.goal.Remove)}
	}
	return s
}

func (p *planner) remove() Step {
	v := p.goal.Remove
	s := Step{Name: StepRemove, Title: "remove " + v, State: Ready, Warning: "a version that was removed does not come back, and backups from before the migration have objects in it"}
	s.Evidence = []string{"versions: " + strings.Join(named(p.crd), ", ")}
	switch {
	case !slices.Contains(named(p.crd), v):
		s.State = Done
		s.Evidence = append(s.Evidence, "the manifest of the definition must not have "+v+" either: its next apply would bring "+v+" back")
	case p.last() && webhook(p.crd):
		s.Title += " and spec.conversion"
		s.Evidence = append(s.Evidence, "spec.conversion is "+where(p.crd.Spec.Conversion)+"; it leaves in the same write")
		if p.target.Annotated() {
			s.Evidence = append(s.Evidence, fmt.Sprintf("the same write sets the annotation %s to %s", Annotation, detached))
		}
	}
	return s
}

// last reports whether one version is left after the removal.
func (p *planner) last() bool {
	return len(slices.DeleteFunc(named(p.crd), func(v string) bool { return v == p.goal.Remove })) == 1
}
