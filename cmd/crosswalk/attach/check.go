package attach

import (
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// Result is the verdict of a check.
type Result string

// The verdicts. A warning does not keep a definition from being attached.
const (
	Passed  Result = "ok"
	Warning Result = "warning"
	Failed  Result = "failed"
)

// Check is one step on the way of a conversion and its verdict.
type Check struct {
	Name   string `json:"name"`
	Result Result `json:"result"`
	Text   string `json:"text"`
	Remedy string `json:"remedy,omitempty"` // what to do about a failure or warning
}

// Checks are checks in the order of a conversion's way.
type Checks []Check

// maxCheck bounds the text of a check, which can list the pairs of many versions. Names and messages in
// it are the API server's, or those of people who may edit the definition.
const maxCheck = 16 << 10

func (c *Checks) pass(name, format string, args ...any) { c.add(name, Passed, "", format, args) }

func (c *Checks) warn(name, remedy, format string, args ...any) {
	c.add(name, Warning, remedy, format, args)
}

func (c *Checks) fail(name, remedy, format string, args ...any) {
	c.add(name, Failed, remedy, format, args)
}

func (c *Checks) add(name string, result Result, remedy, format string, args []any) {
	*c = append(*c, Check{foreign.Shorten(name, maxText), result, foreign.Shorten(fmt.Sprintf(format, args...), maxCheck), foreign.Shorten(remedy, maxText)})
}

// Failures returns the checks that failed.
func (c Checks) Failures() Checks {
	var failed Checks
	for _, check := range c {
		if check.Result == Failed {
			failed = append(failed, check)
		}
	}
	return failed
}

// Err is nil if no check failed, or an error with the first failure.
func (c Checks) Err() error {
	for _, check := range c {
		if check.Result != Failed {
			continue
		}
		if check.Remedy == "" {
			return fmt.Errorf("%s: %s", check.Name, check.Text)
		}
		return fmt.Errorf("%s: %s; %s", check.Name, check.Text, check.Remedy)
	}
	return nil
}
