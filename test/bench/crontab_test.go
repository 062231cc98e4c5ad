package bench

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/conversion"
)

// CronTab.stable.example.com as a kubebuilder project has it: a Go type for each version, one of which is the hub. What one version
// has and the other has not is converted like in plugins/crontab; the rest is alike and copied.

const (
	group = "stable.example.com"
	kind  = "CronTab"

	partialSchedule = "conversion.stable.example.com/partial-schedule"
)

// settings is what the specs of both versions have.
type settings struct {
	Image string `json:"image,omitempty"`
	Env   []env  `json:"env,omitempty"`
}

type env struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
}

type status struct {
	Replicas   int64              `json:"replicas,omitempty"`
	LastRun    *metav1.Time       `json:"lastRun,omitempty"`
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	History    []run              `json:"history,omitempty"`
}

type run struct {
	Name     string      `json:"name"`
	Started  metav1.Time `json:"started"`
	Seconds  float64     `json:"seconds"`
	ExitCode int32       `json:"exitCode"`
	Message  string      `json:"message,omitempty"`
}

// cronTabV1 has the schedule as one string. It is a spoke.
type cronTabV1 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              specV1 `json:"spec,omitempty"`
	Status            status `json:"status,omitempty"`
}

type specV1 struct {
	CronSpec string `json:"cronSpec,omitempty"`
	settings `json:",inline"`
}

// cronTabV2 has a member for each field of the schedule. It is the hub.
type cronTabV2 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              specV2 `json:"spec,omitempty"`
	Status            status `json:"status,omitempty"`
}

type specV2 struct {
	Min        string `json:"min,omitempty"`
	Hour       string `json:"hour,omitempty"`
	DayOfMonth string `json:"dayOfMonth,omitempty"`
	Month      string `json:"month,omitempty"`
	DayOfWeek  string `json:"dayOfWeek,omitempty"`
	settings   `json:",inline"`
}

// fields are the members of the schedule in the order of cron.
func (s *specV2) fields() [5]*string {
	return [5]*string{&s.Min, &s.Hour, &s.DayOfMonth, &s.Month, &s.DayOfWeek}
}

var fieldNames = [5]string{"min", "hour", "dayOfMonth", "month", "dayOfWeek"}

func (*cronTabV2) Hub() {}

// ConvertTo makes dst, the hub, from a v1.
func (c *cronTabV1) ConvertTo(dst conversion.Hub) error {
	hub := dst.(*cronTabV2)
	hub.ObjectMeta, hub.Spec.settings, hub.Status = c.ObjectMeta, c.Spec.settings, c.Status
	kept, incomplete := c.Annotations[partialSchedule]
	switch {
	case c.Spec.CronSpec != "":
		parts := strings.Fields(c.Spec.CronSpec)
		if len(parts) != len(fieldNames) {
			return fmt.Errorf(".spec.cronSpec must have five fields separated by spaces, but %q has %d", c.Spec.CronSpec, len(parts))
		}
		for i, field := range hub.Spec.fields() {
			*field = parts[i]
		}
	case incomplete:
		for _, part := range strings.Fields(kept) {
			name, value, _ := strings.Cut(part, "=")
			for i, field := range hub.Spec.fields() {
				if fieldNames[i] == name {
					*field = value
				}
			}
		}
	}
	if incomplete {
		delete(hub.Annotations, partialSchedule)
	}
	return nil
}

// ConvertFrom makes a v1 from src, the hub.
func (c *cronTabV1) ConvertFrom(src conversion.Hub) error {
	hub := src.(*cronTabV2)
	c.ObjectMeta, c.Spec.settings, c.Status = hub.ObjectMeta, hub.Spec.settings, hub.Status
	var parts, kept []string
	for i, field := range hub.Spec.fields() {
		if *field != "" {
			parts, kept = append(parts, *field), append(kept, fieldNames[i]+"="+*field)
		}
	}
	delete(c.Annotations, partialSchedule)
	switch len(parts) {
	case 0:
	case len(fieldNames):
		c.Spec.CronSpec = strings.Join(parts, " ")
	default:
		if c.Annotations == nil {
			c.Annotations = map[string]string{}
		}
		c.Annotations[partialSchedule] = strings.Join(kept, " ")
	}
	return nil
}

// DeepCopyObject is what a scheme asks of a type; nothing here copies objects.
func (c *cronTabV1) DeepCopyObject() runtime.Object { copied := *c; return &copied }

// DeepCopyObject is what a scheme asks of a type; nothing here copies objects.
func (c *cronTabV2) DeepCopyObject() runtime.Object { copied := *c; return &copied }

// newScheme returns a scheme with both versions.
func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(schema.GroupVersionKind{Group: group, Version: "v1", Kind: kind}, &cronTabV1{})
	scheme.AddKnownTypeWithName(schema.GroupVersionKind{Group: group, Version: "v2", Kind: kind}, &cronTabV2{})
	return scheme
}
