package compare

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/randfill"
)

// Kubernetes fills types of the API machinery with values that have a text.
func Kubernetes() []any {
	return []any{
		func(m *metav1.ObjectMeta, c randfill.Continue) {
			c.Fill(&m.Labels)
			c.Fill(&m.Annotations)
		},
		func(m *metav1.TypeMeta, _ randfill.Continue) {},
		func(v *metav1.Time, c randfill.Continue) { v.Time = time.Unix(c.Int63n(1e9), 0) },
		func(v *metav1.Duration, c randfill.Continue) { v.Duration = time.Duration(c.Int63n(1e6)) * time.Second },
		func(v *resource.Quantity, c randfill.Continue) {
			*v = *resource.NewQuantity(c.Int63n(1e6), resource.DecimalSI)
		},
		func(v *metav1.FieldsV1, _ randfill.Continue) {},
		func(v *corev1.ConditionStatus, c randfill.Continue) {
			*v = []corev1.ConditionStatus{corev1.ConditionTrue, corev1.ConditionFalse, corev1.ConditionUnknown}[c.Intn(3)]
		},
	}
}
