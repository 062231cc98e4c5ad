// Command set is a converter of a kind with pod templates, for the test of the fuel that fragments
// cost. It is written with the Go types of Kubernetes, all of which it decodes: a module of
// crosswalk adopt carries the parts that the operator's conversions do not touch as text, and does
// less.
package main

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crosswalk-gateway/crosswalk/sdk/go/kubebuilder"
)

// v1 has maps where v2 has lists, and other names.
type v1 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              specV1 `json:"spec"`
}

type specV1 struct {
	Template corev1.PodTemplateSpec `json:"template"`
	Options  options                `json:"options"`
	Pools    map[string]poolV1      `json:"pools,omitempty"`
	Work     int                    `json:"work,omitempty"` // a conversion takes so many steps
}

// options has members that the types always write, and members that are optional.
type options struct {
	A0 int32  `json:"a0"`
	A1 int32  `json:"a1"`
	A2 int32  `json:"a2"`
	A3 int32  `json:"a3"`
	A4 int32  `json:"a4"`
	B0 string `json:"b0"`
	B1 string `json:"b1"`
	B2 string `json:"b2"`
	B3 string `json:"b3"`
	B4 string `json:"b4"`
	C0 bool   `json:"c0"`
	C1 bool   `json:"c1"`
	C2 bool   `json:"c2"`
	C3 bool   `json:"c3"`
	C4 bool   `json:"c4"`
	D0 int32  `json:"d0,omitempty"`
	D1 int32  `json:"d1,omitempty"`
	D2 string `json:"d2,omitempty"`
	D3 string `json:"d3,omitempty"`
	D4 bool   `json:"d4,omitempty"`
}

type poolV1 struct {
	Replicas *int32                  `json:"replicas,omitempty"`
	Paused   bool                    `json:"paused"`
	Zone     string                  `json:"zone"`
	Template *corev1.PodTemplateSpec `json:"template,omitempty"`
}

type v2 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              specV2 `json:"spec"`
}

type specV2 struct {
	Workload struct {
		Template corev1.PodTemplateSpec `json:"template"`
		Options  options                `json:"settings"`
	} `json:"workload"`
	Pools  []poolV2 `json:"pools,omitempty"`
	Worked int      `json:"worked,omitempty"`
}

type poolV2 struct {
	Name     string                  `json:"name"`
	Count    *int32                  `json:"count,omitempty"`
	Stopped  bool                    `json:"stopped"`
	Location string                  `json:"location"`
	Template *corev1.PodTemplateSpec `json:"template,omitempty"`
}

func toV2(in *v1, out *v2) error {
	out.ObjectMeta = in.ObjectMeta
	out.Spec.Workload.Template = *in.Spec.Template.DeepCopy()
	out.Spec.Workload.Options = in.Spec.Options
	for i := range in.Spec.Work {
		out.Spec.Worked ^= i
	}
	for name, p := range in.Spec.Pools {
		out.Spec.Pools = append(out.Spec.Pools, poolV2{Name: name, Count: p.Replicas, Stopped: p.Paused, Location: p.Zone, Template: p.Template.DeepCopy()})
	}
	slices.SortFunc(out.Spec.Pools, func(a, b poolV2) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return nil
}

func toV1(in *v2, out *v1) error {
	out.ObjectMeta = in.ObjectMeta
	out.Spec.Template = *in.Spec.Workload.Template.DeepCopy()
	out.Spec.Options = in.Spec.Workload.Options
	if len(in.Spec.Pools) > 0 {
		out.Spec.Pools = map[string]poolV1{}
	}
	for _, p := range in.Spec.Pools {
		out.Spec.Pools[p.Name] = poolV1{Replicas: p.Count, Paused: p.Stopped, Zone: p.Location, Template: p.Template.DeepCopy()}
	}
	return nil
}

func init() {
	kubebuilder.Register(kubebuilder.Kind{
		Hub:    kubebuilder.HubType[v2]("fragments.example.com/v2"),
		Spokes: []kubebuilder.Version{kubebuilder.SpokeFunc("fragments.example.com/v1", toV2, toV1)},
	})
}

func main() {}
