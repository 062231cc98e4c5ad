package bench

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	reviewv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crosswalk-gateway/crosswalk/test/bench/crontab"
)

// workload is a review of batch objects, in v1, that are wanted in v2.
type workload struct {
	object objectSize
	batch  int
}

// objectSize is the minimum length of an object's JSON, in bytes, and its name.
type objectSize struct {
	name  string
	bytes int
}

var (
	small  = objectSize{"0.9k", 900}    // a spec and little else
	usual  = objectSize{"3.8k", 3800}   // managedFields, conditions and a status, as objects of operators have them
	large  = objectSize{"21.6k", 21600} // the same with a long spec and history
	huge   = objectSize{"1M", 1 << 20}  // near etcd's limit of 1.5 MiB
	sizes  = []objectSize{small, usual, large, huge}
	counts = []int{1, 100, 1000, 10000}
)

// bodyLimit leaves out the products that no server would take: the gateway's largest body, and
// controller-runtime holds some ten times that in memory.
const bodyLimit = 64 << 20

func workloads() []workload {
	var all []workload
	for _, size := range sizes {
		for _, n := range counts {
			if size.bytes*n <= bodyLimit {
				all = append(all, workload{size, n})
			}
		}
	}
	return all
}

func (w workload) String() string { return fmt.Sprintf("object=%s/batch=%d", w.object.name, w.batch) }

// review returns the body as API servers write it.
func (w workload) review() ([]byte, error) {
	request := &reviewv1.ConversionRequest{UID: "6f3b2f6e-9a5b-4f0e-8d0a-3f1c2b7a9e10", DesiredAPIVersion: group + "/v2"}
	for i := range w.batch {
		object, err := json.Marshal(w.object.make(i))
		if err != nil {
			return nil, err
		}
		request.Objects = append(request.Objects, runtime.RawExtension{Raw: object})
	}
	return json.Marshal(&reviewv1.ConversionReview{
		TypeMeta: metav1.TypeMeta{Kind: "ConversionReview", APIVersion: reviewv1.SchemeGroupVersion.String()},
		Request:  request, Response: &reviewv1.ConversionResponse{},
	})
}

// make returns the i-th object of a size. The objects of a batch have names of their own.
func (s objectSize) make(i int) *crontab.V1 {
	began := metav1.NewTime(time.Date(2026, 3, 1, 2, 30, 0, 0, time.UTC))
	c := &crontab.V1{
		TypeMeta: metav1.TypeMeta{APIVersion: group + "/v1", Kind: kind},
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("nightly-backup-%05d", i), Namespace: "production", Generation: 7, CreationTimestamp: began,
			UID:             types.UID(fmt.Sprintf("7c1f3b2e-5d6a-4e8f-9b0c-%012x", i)),
			ResourceVersion: fmt.Sprint(48151623 + i),
			Labels:          map[string]string{"app.kubernetes.io/name": "backup", "app.kubernetes.io/managed-by": "crontab-operator", "team": "storage"},
			Annotations:     map[string]string{"example.com/note": "Runs while the \"quiet hours\" last; ask <storage@example.com> before you move it."},
		},
		Spec:   crontab.SpecV1{CronSpec: "30 2 * * 1-5", Settings: crontab.Settings{Image: "registry.example.com/storage/backup:1.4.2"}},
		Status: crontab.Status{Replicas: 3, LastRun: &began},
	}
	if s != small {
		c.ManagedFields = managedFields(began)
		for _, condition := range []string{"Ready", "Scheduled", "Degraded"} {
			c.Status.Conditions = append(c.Status.Conditions, metav1.Condition{
				Type: condition, Status: metav1.ConditionTrue, ObservedGeneration: 7, LastTransitionTime: began, Reason: "Reconciled",
				Message: "the schedule is valid and the last run ended without an error",
			})
		}
	}
	for n := 0; ; n++ {
		if short := s.bytes - length(c); short <= 0 {
			return c
		} else if n == 0 && s.bytes > 10*usual.bytes {
			// Adding one by one and measuring each time would be quadratic: most of it at once, by
			// the length of a pair, 290.
			for range short / 290 {
				grow(c, n)
				n++
			}
		}
		grow(c, n)
	}
}

// grow adds a variable and a run, some 290 bytes.
func grow(c *crontab.V1, n int) {
	c.Spec.Env = append(c.Spec.Env, crontab.Env{Name: fmt.Sprintf("BACKUP_TARGET_%05d", n), Value: fmt.Sprintf("s3://backup-%d.example.com/volumes?part=%d&keep=30", n%7, n)})
	c.Status.History = append(c.Status.History, crontab.Run{
		Name: fmt.Sprintf("nightly-backup-%08d", 29170110+n), Started: metav1.NewTime(c.CreationTimestamp.Add(time.Duration(n) * time.Hour)),
		Seconds: 12.5 + float64(n%100), Message: "copied 1204 files, 3 of them new",
	})
}

func managedFields(at metav1.Time) []metav1.ManagedFieldsEntry {
	entry := func(manager, subresource, fields string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{
			Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: group + "/v1", Time: &at, FieldsType: "FieldsV1",
			FieldsV1: &metav1.FieldsV1{Raw: []byte(strings.Join(strings.Fields(fields), ""))}, Subresource: subresource,
		}
	}
	return []metav1.ManagedFieldsEntry{
		entry("kubectl-client-side-apply", "", `{"f:metadata":{"f:annotations":{".":{},"f:example.com/note":{}},
			"f:labels":{".":{},"f:app.kubernetes.io/managed-by":{},"f:app.kubernetes.io/name":{},"f:team":{}}},
			"f:spec":{".":{},"f:cronSpec":{},"f:env":{".":{},"k:{\"name\":\"BACKUP_TARGET_00000\"}":{".":{},"f:name":{},"f:value":{}}},"f:image":{}}}`),
		entry("crontab-operator", "status", `{"f:status":{".":{},"f:conditions":{".":{},
			"k:{\"type\":\"Degraded\"}":{".":{},"f:lastTransitionTime":{},"f:message":{},"f:reason":{},"f:status":{},"f:type":{}},
			"k:{\"type\":\"Ready\"}":{".":{},"f:lastTransitionTime":{},"f:message":{},"f:reason":{},"f:status":{},"f:type":{}},
			"k:{\"type\":\"Scheduled\"}":{".":{},"f:lastTransitionTime":{},"f:message":{},"f:reason":{},"f:status":{},"f:type":{}}},
			"f:history":{},"f:lastRun":{},"f:replicas":{}}}`),
	}
}

func length(c *crontab.V1) int {
	text, err := json.Marshal(c)
	if err != nil {
		panic(err) // a type of this file that cannot be encoded
	}
	return len(text)
}
