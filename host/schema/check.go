package schema

import (
	"fmt"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// Violation is one rule that an object breaks. It never has the value in it, so it may be logged.
type Violation struct {
	// Path is where: spec.replicas, spec.list[3].name, spec.map[key]. It is empty for the object
	// itself.
	Path string
	// Message is the rule, in the words of the schema: "must be an integer, not a string".
	Message string
	// Pruned says that the schema does not know the field. The API server drops the field silently,
	// with its content.
	Pruned bool
}

// String returns the violation in one line.
func (v Violation) String() string {
	if v.Path == "" {
		return v.Message
	}
	return v.Path + ": " + v.Message
}

// Options say how to check.
type Options struct {
	// Partial says that the object is a fragment, as in server-side apply. The check then skips
	// every rule that more fields could satisfy: nothing is required, and no list or object has too
	// few parts. anyOf, oneOf and not apply to objects and lists only if the fragment breaks them
	// regardless of the fields that are missing.
	Partial bool
	// Budget bounds the work of the check. Nil means no bound, for definitions and objects that the
	// caller trusts.
	Budget *Budget
}

// Check checks an object against the schema of a version. It calls report for each violation, in
// the order of the object, until report returns false. It does not check the object's own
// apiVersion, kind and metadata.
//
// It reads the object once, and a value that allOf, anyOf, oneOf or not apply to once more for each
// of their schemas. The time grows in proportion to the object by a factor that depends on the
// schema alone; the budget bounds it.
//
// # Errors
//
// Check fails if the definition does not have the version, or if the object is not a JSON object:
// the error wraps a *rawjson.SyntaxError. Violations reported until then are valid for the part
// before it. The error wraps [ErrWork] if the budget did not suffice, and the error of the context
// if it ended.
func (c *CRD) Check(version string, object []byte, opts Options, report func(Violation) (more bool)) error {
	v := c.version(version)
	if v == nil {
		return fmt.Errorf("%s.%s has no version %q, only %s", c.Kind, c.Group, foreign.Shorten(version, maxName), c.versionNames())
	}
	checker := c.checkers.Get().(*checker)
	defer func() {
		checker.release()
		c.checkers.Put(checker)
	}()
	return checker.run(c, v.root, object, opts, report)
}

func (c *CRD) version(name string) *Version {
	for i := range c.Versions {
		if c.Versions[i].Name == name {
			return &c.Versions[i]
		}
	}
	return nil
}

func (c *CRD) versionNames() string {
	var names []string
	for _, v := range c.Versions {
		names = append(names, v.Name)
	}
	return strings.Join(names, ", ")
}

// checker checks one object at a time. Once its buffers have grown, it allocates only for reports.
type checker struct {
	doc      []byte // the object
	partial  bool
	unpruned bool // neither fields nor nulls are dropped anywhere
	report   func(Violation) (more bool)
	stopped  bool // report returned false
	budget   *Budget
	units    int64  // of the budget, taken and not spent
	halted   error  // the reason why the check stopped, if it did
	skipped  error  // the first rule that takes too much work by itself
	path     []step // to the current value

	scanner *rawjson.Scanner // over the object, or over a value in it that is read again
	base    int              // where that value begins
	depth   int              // how many of the scanners are in use
	spares  []*rawjson.Scanner
	spare   rawjson.Scanner // for short use

	kept    int            // how many embedded metadata we are in, where unknown fields are kept
	marks   []uint64       // bits for the required members that were there, of all objects we are in
	keys    []rawjson.Span // places of the keys of the list map elements we are in; zero for one that is not there
	sets    []*uniques     // see borrowUniques
	setsOut int

	trial trial
}

func newChecker() *checker { return &checker{} }

// run checks an object.
func (c *checker) run(crd *CRD, root *node, object []byte, opts Options, report func(Violation) (more bool)) error {
	c.doc, c.partial, c.unpruned, c.report, c.stopped = object, opts.Partial, crd.unpruned, report, false
	c.path, c.keys, c.marks, c.base, c.depth, c.kept, c.setsOut, c.trial = c.path[:0], c.keys[:0], c.marks[:0], 0, 0, 0, 0, trial{}
	c.enter(opts.Budget, object)
	c.push(rawjson.Span{Start: 0, End: len(object)})
	if c.scanner.Peek() != rawjson.Object {
		c.scanner.Object() // for its error
	}
	c.value(root, false)
	incomplete := c.leave()
	if c.stopped {
		return nil
	}
	if c.halted != nil {
		return incomplete
	}
	if c.scanner.End(); c.scanner.Err() != nil {
		return fmt.Errorf("the object cannot be checked: %w", c.scanner.Err())
	}
	return incomplete
}

// release drops the references to the object.
func (c *checker) release() {
	c.doc, c.report = nil, nil
	for _, s := range c.spares {
		s.Reset(nil, 0)
	}
	c.spare.Reset(nil, 0)
}

// push begins to look at a part of the object with a scanner of its own. c.scanner and c.base must
// be put back in the end, by pop.
func (c *checker) push(part rawjson.Span) (outer *rawjson.Scanner, base int) {
	outer, base = c.scanner, c.base
	if c.depth == len(c.spares) {
		c.spares = append(c.spares, new(rawjson.Scanner))
	}
	c.scanner, c.base = c.spares[c.depth], part.Start
	c.scanner.Reset(part.Of(c.doc), 0)
	c.depth++
	c.spend(part.End - part.Start)
	return outer, base
}

func (c *checker) pop(outer *rawjson.Scanner, base int) {
	c.scanner, c.base = outer, base
	c.depth--
}

// visit looks once more at a value that was read before.
func (c *checker) visit(n *node, value rawjson.Span, keep bool) {
	outer, base := c.push(value)
	c.value(n, keep)
	c.pop(outer, base)
}

// over reports whether the check can stop.
func (c *checker) over() bool {
	return c.stopped || c.trial.failed || c.halted != nil || c.scanner.Err() != nil
}

// violate reports that the value at the path breaks a rule, given in parts. In a trial it only
// fails.
func (c *checker) violate(rule ...string) { c.tell("", false, rule...) }

// tell is violate for the value at the path, or for the member of it that is named.
func (c *checker) tell(member string, pruned bool, rule ...string) {
	switch {
	case c.halted != nil: // a verdict of half a check
	case c.trial.on:
		c.trial.failed = true
	case !c.stopped:
		c.spend(workOfValue * (len(c.path) + 1)) // the names on the path
		c.stopped = !c.report(Violation{c.where(member), strings.Join(rule, ""), pruned})
	}
}

// borrowUniques returns an empty one. Those that are borrowed must be returned in the reverse
// order.
func (c *checker) borrowUniques() *uniques {
	if c.setsOut == len(c.sets) {
		c.sets = append(c.sets, newUniques())
	}
	u := c.sets[c.setsOut]
	u.reset()
	c.setsOut++
	return u
}

func (c *checker) returnUniques() { c.setsOut-- }
