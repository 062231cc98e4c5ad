package schema

import (
	"fmt"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/host/schema/internal/definition"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

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
		return fmt.Errorf("%s.%s has no version %q, only %s", c.Kind, c.Group, foreign.Shorten(version, definition.MaxName), c.versionNames())
	}
	checker := c.checkers.Get().(*checker)
	defer func() {
		checker.report = nil
		checker.cursor.release()
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

// run checks an object.
func (c *checker) run(crd *CRD, root *node, object []byte, opts Options, report func(Violation) (more bool)) error {
	c.partial, c.unpruned, c.report, c.stopped = opts.Partial, crd.unpruned, report, false
	c.keys, c.marks, c.kept, c.sets.out, c.trial = c.keys[:0], c.marks[:0], 0, 0, trial{}
	c.account.enter(opts.Budget, object)
	c.spend(len(object))
	c.cursor.enter(object)
	if c.scanner.Peek() != rawjson.Object {
		c.scanner.Object() // for its error
	}
	c.value(root, false)
	incomplete := c.account.leave()
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
