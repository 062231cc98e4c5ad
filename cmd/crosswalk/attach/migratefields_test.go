package attach

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// fieldsServer is an API server with objects that have managedFields at v1, which is not served.
type fieldsServer struct {
	t    *testing.T
	crd  *apiextensions.CustomResourceDefinition
	fail func(name string, attempt int) (status int) // answers a PATCH; 0 = write the object

	mu       sync.Mutex
	objects  map[string]*metav1.PartialObjectMetadata
	attempts map[string]int
	lists    int // requests
	flying   int // PATCH requests
	most     int
	enough   chan struct{} // closed when as many fly as may
}

func newFieldsServer(t *testing.T, objects int, fail func(string, int) int) (*fieldsServer, *Cluster) {
	t.Helper()
	crd := pools(t)
	crd.UID, crd.APIVersion, crd.Kind = "1", "apiextensions.k8s.io/v1", "CustomResourceDefinition"
	crd.Spec.Names.Plural, crd.Spec.Conversion = "pools", &apiextensions.CustomResourceConversion{Strategy: apiextensions.NoneConverter}
	s := &fieldsServer{t: t, crd: crd, fail: fail, objects: map[string]*metav1.PartialObjectMetadata{}, attempts: map[string]int{}, enough: make(chan struct{})}
	for i := range objects {
		o := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "example.com/v2", Kind: "Pool"}}
		o.Name, o.Namespace, o.UID, o.ResourceVersion = fmt.Sprintf("pool-%d", i), "default", "2", "1"
		o.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "old", Operation: metav1.ManagedFieldsOperationApply, APIVersion: "example.com/v1", FieldsType: "FieldsV1",
			FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{}}}`)}}
		o.Labels = map[string]string{"a": "b"}
		s.objects[o.Name] = o
	}
	return s, clusterOf(t, s)
}

func (s *fieldsServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	name := path.Base(r.URL.Path)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case discovered(w, r, s.crd):
	case strings.Contains(r.URL.Path, "customresourcedefinitions"):
		s.answer(w, s.crd)
	case r.Method == http.MethodPatch:
		s.patch(w, r, name)
	case name == "pools":
		s.lists++
		list := &metav1.PartialObjectMetadataList{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadataList"}}
		for _, o := range s.objects {
			list.Items = append(list.Items, *o)
		}
		s.answer(w, list)
	default:
		s.answer(w, s.objects[name])
	}
}

// patch is called with the lock, which it releases while others come.
func (s *fieldsServer) patch(w http.ResponseWriter, r *http.Request, name string) {
	s.flying++
	s.most = max(s.most, s.flying)
	if s.flying == writers {
		select {
		case <-s.enough:
		default:
			close(s.enough)
		}
	}
	s.mu.Unlock()
	select {
	case <-s.enough:
	case <-r.Context().Done():
	}
	s.mu.Lock()
	s.flying--
	s.attempts[name]++
	if status := s.fail(name, s.attempts[name]); status != 0 {
		if status == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", "1")
		}
		w.WriteHeader(status)
		s.answer(w, &metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: "Failure", Code: int32(status),
			Reason: map[int]metav1.StatusReason{http.StatusConflict: metav1.StatusReasonConflict, http.StatusForbidden: metav1.StatusReasonForbidden}[status]})
		return
	}
	var patch metav1.PartialObjectMetadata
	if err := json.NewDecoder(r.Body).Decode(&patch); err != nil {
		s.t.Error(err)
	}
	o := s.objects[name]
	if patch.ResourceVersion != o.ResourceVersion || patch.UID != o.UID {
		s.t.Errorf("the patch of %s names the resourceVersion %q and the UID %q", name, patch.ResourceVersion, patch.UID)
	}
	o.ManagedFields, o.ResourceVersion = patch.ManagedFields, o.ResourceVersion+"0"
	s.answer(w, o)
}

// tried is the number of objects that somebody tried to write. The server may still work on requests
// whose client is gone.
func (s *fieldsServer) tried() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.attempts)
}

func (s *fieldsServer) answer(w http.ResponseWriter, o any) {
	if err := json.NewEncoder(w).Encode(o); err != nil {
		s.t.Error(err)
	}
}

// TestMigrateFieldsWritesSideBySide: as many objects as writers are written at the same time, and no
// more. An object that the API server answers with 429 or that others change is written again.
func TestMigrateFieldsWritesSideBySide(t *testing.T) {
	const objects = 50
	s, c := newFieldsServer(t, objects, func(name string, attempt int) int {
		switch {
		case attempt > 1:
		case name == "pool-3":
			return http.StatusTooManyRequests
		case name == "pool-5":
			return http.StatusConflict
		}
		return 0
	})
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // ends a run that waits for more writers
	defer cancel()
	var last string
	if err := c.MigrateFields(ctx, s.crd, Migration{Rate: 1e6, Report: func(p Progress) { last = fmt.Sprint(p.Done, " ", p.Text) }}); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprint(objects, " no object has managedFields at a version that is not served"); last != want {
		t.Errorf("the last line is %q, want %q", last, want)
	}
	s.mu.Lock() // an answer may be on its way still
	defer s.mu.Unlock()
	if s.most != writers {
		t.Errorf("%d objects were written at the same time, want %d", s.most, writers)
	}
	if s.lists != 2 { // all were written after the first list, as the second one shows
		t.Errorf("the objects were listed %d times, want 2", s.lists)
	}
	for name, o := range s.objects {
		want := 1
		if name == "pool-3" || name == "pool-5" {
			want = 2
		}
		if s.attempts[name] != want || len(o.ManagedFields) != 1 || o.ManagedFields[0].APIVersion != "example.com/v2" {
			t.Errorf("%s was written %d times, and has %+v", name, s.attempts[name], o.ManagedFields)
		}
	}
}

// TestRewriteWritesSideBySide: as many objects as writers are rewritten at the same time, and no more. Those
// that the API server refuses are named, and keep status.storedVersions as it is.
func TestRewriteWritesSideBySide(t *testing.T) {
	const objects = 50
	s, c := newFieldsServer(t, objects, func(name string, _ int) int {
		if name == "pool-3" {
			return http.StatusForbidden
		}
		return 0
	})
	s.crd.Status.StoredVersions = []string{"v1", "v2"}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // ends a run that waits for more writers
	defer cancel()
	last := Progress{}
	err := c.MigrateStorage(ctx, s.crd, Migration{Rate: 1e6, Report: func(p Progress) { last = p }})
	if !errors.Is(err, ErrObjects) || strings.Count(err.Error(), "default/pool-") != 1 || !strings.Contains(err.Error(), "default/pool-3: ") || last.Text != "49 objects rewritten" || last.Done != 49 {
		t.Errorf("the last line is %q: %v", last.Text, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.most != writers || len(s.attempts) != objects {
		t.Errorf("%d of %d objects were written, %d at the same time", len(s.attempts), objects, s.most)
	}
}

// TestMigrateFieldsInterrupted: the error of an interrupted run says what is done, and how to go on.
// Another run does the rest.
func TestMigrateFieldsInterrupted(t *testing.T) {
	const objects = 50
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	tried := 0
	s, c := newFieldsServer(t, objects, func(string, int) int {
		if tried++; tried == 20 {
			cancel()
		}
		return 0
	})
	err := c.MigrateFields(ctx, s.crd, Migration{Rate: 1e6})
	if err == nil || !strings.HasPrefix(err.Error(), "interrupted; managedFields of ") || !strings.HasSuffix(err.Error(), " objects are carried over: run the command again to go on") || !errors.As(err, new(*Interrupted)) {
		t.Errorf("the error is %v", err)
	}
	if n := s.tried(); n < 20 || n > 20+writers {
		t.Errorf("%d objects were tried", n)
	}
	last := Progress{}
	if err := c.MigrateFields(t.Context(), s.crd, Migration{Rate: 1e6, Report: func(p Progress) { last = p }}); err != nil || last.Done < objects-20-writers || last.Done > objects-19+writers {
		t.Errorf("the next run wrote %d objects: %v", last.Done, err)
	}
}

// TestMigrateFieldsStopsAll: an error that all objects would meet ends the run. No object is written
// after it but those under way.
func TestMigrateFieldsStopsAll(t *testing.T) {
	s, c := newFieldsServer(t, 50, func(string, int) int { return http.StatusForbidden })
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	err := c.MigrateFields(ctx, s.crd, Migration{Rate: 1e6})
	if !Forbidden(err) || !strings.Contains(err.Error(), "managedFields of 0 objects are carried over: run the command again to go on") {
		t.Errorf("the error is %v", err)
	}
	if n := s.tried(); n == 0 || n > writers {
		t.Errorf("%d objects were tried, want at most %d", n, writers)
	}
}
