package native

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// partialSchedule is the annotation that keeps, in v1, the fields of a schedule that is not
// complete.
const partialSchedule = "conversion.stable.example.com/partial-schedule"

// cronFields are the members of a v2 spec that make up the schedule, in the order of cron.
var cronFields = [...]string{"min", "hour", "dayOfMonth", "month", "dayOfWeek"}

// CronTab converts CronTab.stable.example.com like the example converters in plugins/crontab: v1
// has spec.cronSpec, v2 a member for each of its fields.
func CronTab(object *unstructured.Unstructured, apiVersion string) error {
	spec, _ := object.Object["spec"].(map[string]any)
	if spec == nil {
		return nil // a fragment: server-side apply sends those
	}
	switch apiVersion {
	case "stable.example.com/v2":
		return splitSchedule(object, spec)
	case "stable.example.com/v1":
		return joinSchedule(object, spec)
	default:
		return fmt.Errorf("unknown version %q", apiVersion)
	}
}

func splitSchedule(object *unstructured.Unstructured, spec map[string]any) error {
	annotations := object.GetAnnotations()
	kept, incomplete := annotations[partialSchedule]
	if schedule, ok := spec["cronSpec"].(string); ok {
		parts := strings.Fields(schedule)
		if len(parts) != len(cronFields) {
			return fmt.Errorf(".spec.cronSpec must have five fields separated by spaces, but %q has %d", schedule, len(parts))
		}
		for i, field := range cronFields {
			spec[field] = parts[i]
		}
	} else if incomplete {
		for _, part := range strings.Fields(kept) {
			field, value, _ := strings.Cut(part, "=")
			spec[field] = value
		}
	}
	if incomplete {
		delete(annotations, partialSchedule)
		object.SetAnnotations(annotations)
	}
	delete(spec, "cronSpec")
	return nil
}

func joinSchedule(object *unstructured.Unstructured, spec map[string]any) error {
	var parts, kept []string
	for _, field := range cronFields {
		if part, ok := spec[field].(string); ok {
			parts, kept = append(parts, part), append(kept, field+"="+part)
		}
		delete(spec, field)
	}
	annotations := object.GetAnnotations()
	switch len(parts) {
	case 0:
		delete(annotations, partialSchedule)
	case len(cronFields):
		spec["cronSpec"] = strings.Join(parts, " ")
		delete(annotations, partialSchedule)
	default:
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[partialSchedule] = strings.Join(kept, " ")
	}
	object.SetAnnotations(annotations)
	return nil
}
