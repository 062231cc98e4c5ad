// Package crontab is CronTab.stable.example.com as in a kubebuilder project: a Go type for each
// version, one of which is the hub. Fields that only one version has are converted as in
// plugins/crontab; the other fields are equal and copied. Both controller-runtime's webhook and a
// converter module use the package.
package crontab

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/conversion"
)

// Group and Kind are those of the resource; its versions are v1 and v2.
const (
	Group = "stable.example.com"
	Kind  = "CronTab"

	partialSchedule = "conversion.stable.example.com/partial-schedule"
)

// Settings has the fields that the specs of both versions share.
type Settings struct {
	Image string `json:"image,omitempty"`
	Env   []Env  `json:"env,omitempty"`
}

// Env is a variable.
type Env struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
}

// Status is the status that an operator reports.
type Status struct {
	Replicas   int64              `json:"replicas,omitempty"`
	LastRun    *metav1.Time       `json:"lastRun,omitempty"`
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	History    []Run              `json:"history,omitempty"`
}

// Run is one of the past.
type Run struct {
	Name     string      `json:"name"`
	Started  metav1.Time `json:"started"`
	Seconds  float64     `json:"seconds"`
	ExitCode int32       `json:"exitCode"`
	Message  string      `json:"message,omitempty"`
}

// V1 has the schedule as one string. It is a spoke.
type V1 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              SpecV1 `json:"spec,omitempty"`
	Status            Status `json:"status,omitempty"`
}

// SpecV1 is the spec of a V1.
type SpecV1 struct {
	CronSpec string `json:"cronSpec,omitempty"`
	Settings `json:",inline"`
}

// V2 has a member for each field of the schedule. It is the hub.
type V2 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              SpecV2 `json:"spec,omitempty"`
	Status            Status `json:"status,omitempty"`
}

// SpecV2 is the spec of a V2.
type SpecV2 struct {
	Min        string `json:"min,omitempty"`
	Hour       string `json:"hour,omitempty"`
	DayOfMonth string `json:"dayOfMonth,omitempty"`
	Month      string `json:"month,omitempty"`
	DayOfWeek  string `json:"dayOfWeek,omitempty"`
	Settings   `json:",inline"`
}

// fields are the members of the schedule in the order of cron.
func (s *SpecV2) fields() [5]*string {
	return [5]*string{&s.Min, &s.Hour, &s.DayOfMonth, &s.Month, &s.DayOfWeek}
}

var fieldNames = [5]string{"min", "hour", "dayOfMonth", "month", "dayOfWeek"}

// Hub says that all versions are converted by way of this one.
func (*V2) Hub() {}

// ConvertTo makes dst, the hub, from a v1.
func (c *V1) ConvertTo(dst conversion.Hub) error {
	hub := dst.(*V2)
	hub.ObjectMeta, hub.Spec.Settings, hub.Status = c.ObjectMeta, c.Spec.Settings, c.Status
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
func (c *V1) ConvertFrom(src conversion.Hub) error {
	hub := src.(*V2)
	c.ObjectMeta, c.Spec.Settings, c.Status = hub.ObjectMeta, hub.Spec.Settings, hub.Status
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

// DeepCopyObject satisfies runtime.Object; nothing here copies objects.
func (c *V1) DeepCopyObject() runtime.Object { copied := *c; return &copied }

// DeepCopyObject satisfies runtime.Object; nothing here copies objects.
func (c *V2) DeepCopyObject() runtime.Object { copied := *c; return &copied }

// NewScheme returns a scheme with both versions.
func NewScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(schema.GroupVersionKind{Group: Group, Version: "v1", Kind: Kind}, &V1{})
	scheme.AddKnownTypeWithName(schema.GroupVersionKind{Group: Group, Version: "v2", Kind: Kind}, &V2{})
	return scheme
}
