// Command crontab converts CronTab.stable.example.com between v1, which has the schedule as one
// string, and v2, which has a member for each of its fields.
package main

import (
	"strings"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
)

const (
	v1 = "stable.example.com/v1"
	v2 = "stable.example.com/v2"

	// partial is the annotation that keeps, in v1, the fields of a schedule that is not complete:
	// "min=0 hour=3".
	partial = "conversion.stable.example.com/partial-schedule"
)

// fields are the members of a v2 spec that make up the schedule, in the order of cron.
var fields = [...]string{"min", "hour", "dayOfMonth", "month", "dayOfWeek"}

func init() {
	crosswalk.Describe(crosswalk.Description{Name: "crontab", Version: "1.0.0", Licence: "Apache-2.0"})
	crosswalk.Register(v1, v2, v1ToV2)
	crosswalk.Register(v2, v1, v2ToV1)
	crosswalk.Fields(v1, "spec.cronSpec", "metadata.annotations['"+partial+"']")
	crosswalk.Fields(v2, "spec.min", "spec.hour", "spec.dayOfMonth", "spec.month", "spec.dayOfWeek")
}

func main() {}

func v1ToV2(o *crosswalk.Object) error {
	kept, incomplete := o.Annotation(partial)
	schedule, ok, err := o.String("spec", "cronSpec")
	if err != nil {
		return err
	}
	switch {
	case ok:
		parts := strings.FieldsFunc(schedule, isSpace)
		if len(parts) != len(fields) {
			return crosswalk.Errorf(".spec.cronSpec must have five fields separated by spaces, but %q has %d", schedule, len(parts))
		}
		for i, field := range fields {
			o.SetString(crosswalk.Path{"spec", field}, parts[i])
		}
	case incomplete:
		if err := restore(o, kept); err != nil {
			return err
		}
	}
	if incomplete {
		o.RemoveAnnotation(partial)
	}
	o.Remove("spec", "cronSpec")
	return nil
}

func v2ToV1(o *crosswalk.Object) error {
	var parts []string // of cronSpec
	var kept []string  // of the annotation
	for _, field := range fields {
		part, ok, err := o.String("spec", field)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if part == "" || strings.IndexFunc(part, isSpace) >= 0 {
			return crosswalk.Errorf(".spec.%s must be one field of a cron schedule, without spaces, but is %q", field, part)
		}
		parts = append(parts, part)
		kept = append(kept, field+"="+part)
	}
	switch len(parts) {
	case len(fields):
		o.SetString(crosswalk.Path{"spec", "cronSpec"}, strings.Join(parts, " "))
		o.RemoveAnnotation(partial)
	case 0:
		o.RemoveAnnotation(partial)
	default:
		o.SetAnnotation(partial, strings.Join(kept, " "))
	}
	for _, field := range fields {
		o.Remove("spec", field)
	}
	return nil
}

// restore restores the fields that v2ToV1 kept in the annotation.
func restore(o *crosswalk.Object, kept string) error {
	for _, part := range strings.FieldsFunc(kept, isSpace) {
		field, value, _ := strings.Cut(part, "=")
		if value == "" || !isField(field) {
			return crosswalk.Errorf(`%s must be like "min=0 hour=3", but is %q`, o.Location("metadata", "annotations", partial), kept)
		}
		o.SetString(crosswalk.Path{"spec", field}, value)
	}
	return nil
}

func isField(name string) bool {
	for _, field := range fields {
		if field == name {
			return true
		}
	}
	return false
}

func isSpace(r rune) bool { return r == ' ' || r >= '\t' && r <= '\r' }
