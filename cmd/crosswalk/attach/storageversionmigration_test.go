package attach

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	migration "k8s.io/api/storagemigration/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// migrationServer is an API server with StorageVersionMigrations, and with objects of which only the
// resourceVersions matter.
type migrationServer struct {
	t   *testing.T
	crd *apiextensions.CustomResourceDefinition
	// read is called for each read of the migration, which it may change. It returns a status to fail with;
	// 0 = none.
	read func(attempt int, svm *migration.StorageVersionMigration) (status int)

	mu      sync.Mutex
	svm     *migration.StorageVersionMigration
	reads   int
	objects []string // their resourceVersions; nil: they cannot be listed
	others  []migration.StorageVersionMigration
}

func newMigrationServer(t *testing.T, read func(int, *migration.StorageVersionMigration) int) (*migrationServer, *Cluster) {
	t.Helper()
	crd := pools(t)
	crd.UID, crd.APIVersion, crd.Kind = "1", "apiextensions.k8s.io/v1", "CustomResourceDefinition"
	crd.Spec.Names.Plural, crd.Status.StoredVersions = "pools", []string{"v1", "v2"}
	s := &migrationServer{t: t, crd: crd, read: read}
	return s, clusterOf(t, s)
}

func (s *migrationServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	s.mu.Lock()
	defer s.mu.Unlock()
	switch base := path.Base(r.URL.Path); {
	case discovered(w, r, s.crd):
	case r.URL.Path == "/apis/storagemigration.k8s.io/v1":
		s.answer(w, &metav1.APIResourceList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "APIResourceList"}, GroupVersion: "storagemigration.k8s.io/v1"})
	case base == "pools" && s.objects == nil:
		s.fail(w, http.StatusTooManyRequests)
	case base == "pools":
		list := &metav1.PartialObjectMetadataList{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadataList"}}
		for _, version := range s.objects {
			list.Items = append(list.Items, metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{ResourceVersion: version}})
		}
		s.answer(w, list)
	case strings.Contains(r.URL.Path, "customresourcedefinitions"):
		switch r.Method {
		case http.MethodPut: // of the record
			now := &apiextensions.CustomResourceDefinition{}
			if err := json.NewDecoder(r.Body).Decode(now); err != nil {
				s.t.Error(err)
			}
			s.crd.Annotations = now.Annotations
		case http.MethodPatch:
			s.crd.Status.StoredVersions = []string{"v2"}
		}
		s.answer(w, s.crd)
	case r.Method == http.MethodPost:
		s.svm = &migration.StorageVersionMigration{}
		if err := json.NewDecoder(r.Body).Decode(s.svm); err != nil {
			s.t.Error(err)
		}
		s.svm.APIVersion, s.svm.Kind, s.svm.Name = "storagemigration.k8s.io/v1", "StorageVersionMigration", "pools-abc"
		s.answer(w, s.svm)
	case base == migrationPlural:
		list := &migration.StorageVersionMigrationList{TypeMeta: metav1.TypeMeta{APIVersion: "storagemigration.k8s.io/v1", Kind: "StorageVersionMigrationList"}}
		list.Items = append(list.Items, s.others...)
		s.answer(w, list)
	default:
		s.reads++
		if status := s.read(s.reads, s.svm); status != 0 {
			s.fail(w, status)
			return
		}
		s.answer(w, s.svm)
	}
}

func (s *migrationServer) fail(w http.ResponseWriter, status int) {
	w.WriteHeader(status)
	s.answer(w, &metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: "Failure", Code: int32(status), Message: "not now",
		Reason: map[int]metav1.StatusReason{http.StatusForbidden: metav1.StatusReasonForbidden}[status]})
}

func (s *migrationServer) answer(w http.ResponseWriter, o any) {
	if err := json.NewEncoder(w).Encode(o); err != nil {
		s.t.Error(err)
	}
}

func condition(kind migration.MigrationConditionType, message string) []metav1.Condition {
	return []metav1.Condition{{Type: string(kind), Status: metav1.ConditionTrue, Message: message}}
}

// TestMigrationSaysWhatItWaitsFor: the line of a migration that takes long says whether the controller
// manager has begun with the objects, and how far it is.
func TestMigrationSaysWhatItWaitsFor(t *testing.T) {
	for _, test := range []struct {
		checkpoint string
		objects    []string
		want       string
	}{
		{"", []string{"9"}, "waiting for storage-version-migrator-controller to begin"},
		{"10", []string{"9", "10", "8"}, "waiting for storage-version-migrator-controller: it waits until the garbage collector has read all objects, then rewrites them"},
		{"10", []string{"9", "11", "100"}, "waiting for storage-version-migrator-controller: 2 of the first 3 objects are rewritten"},
		{"10", nil, "waiting for storage-version-migrator-controller; the objects cannot be listed now: not now"},
	} {
		s, c := newMigrationServer(t, nil)
		s.objects = test.objects
		m := &storageMigration{reader: &c.reader, crd: s.crd}
		svm := &migration.StorageVersionMigration{Status: migration.StorageVersionMigrationStatus{ResourceVersion: test.checkpoint}}
		if got := m.waitsFor(t.Context(), svm); got != test.want {
			t.Errorf("with the resourceVersion %q and %q: %q, want %q", test.checkpoint, test.objects, got, test.want)
		}
	}
}

// TestMigrationAfterAnother: two people migrate a definition at once. The control plane begins the second
// migration after the first, however long that takes, and its work is enough for both.
func TestMigrationAfterAnother(t *testing.T) {
	running := migration.StorageVersionMigration{ObjectMeta: metav1.ObjectMeta{Name: "first"}, Spec: migration.StorageVersionMigrationSpec{Resource: metav1.GroupResource{Group: "example.com", Resource: "pools"}}}
	running.Status.Conditions = condition(migration.MigrationRunning, "")
	idle, foreign, own := *running.DeepCopy(), *running.DeepCopy(), *running.DeepCopy()
	idle.Status.Conditions, foreign.Spec.Resource.Resource, own.Name = nil, "others", "own"
	s, c := newMigrationServer(t, nil)
	m := &storageMigration{reader: &c.reader, crd: s.crd}
	resource := schema.GroupVersionResource{Group: migrationGroup, Version: "v1", Resource: migrationPlural}
	s.others = []migration.StorageVersionMigration{idle, foreign, own, running}
	if err := m.pending(t.Context(), resource, "own"); err != nil {
		t.Errorf("while another one runs: %v", err)
	}
	s.others = s.others[:3]
	if err := m.pending(t.Context(), resource, "own"); err == nil || !strings.HasPrefix(err.Error(), "storageversionmigration/own was not begun within 2m0s: ") {
		t.Errorf("while none runs: %v", err)
	}

	for _, failed := range []bool{false, true} { // as when the other run removes a version, too
		s, c = newMigrationServer(t, func(attempt int, svm *migration.StorageVersionMigration) int {
			if attempt == 2 {
				s.crd.Status.StoredVersions = []string{"v2"}
				s.crd.Annotations = map[string]string{MigratedAnnotation: history(s.crd)}
				if failed {
					svm.Status.Conditions = condition(migration.MigrationFailed, "resource does not exist in GC")
				}
			}
			return 0
		})
		last := ""
		if err := c.MigrateStorage(t.Context(), s.crd.DeepCopy(), Migration{Rate: 1, Poll: time.Millisecond, Report: func(p Progress) { last = p.Text }}); err != nil || last != "all objects are stored in v2; status.storedVersions is [v2]" {
			t.Errorf("after another one, own failed %v: %q, %v", failed, last, err)
		}
	}
}

// TestMigrationOfChangedDefinition: somebody changes the specification while the control plane rewrites the
// objects, or changes status.storedVersions alone. What the control plane rewrote before the change does not
// count, and status.storedVersions shows nothing.
func TestMigrationOfChangedDefinition(t *testing.T) {
	for _, test := range []struct {
		name    string
		changes int // of the specification, one for each migration
		want    string
	}{
		{"only the status", 0, "all objects are stored in v2; status.storedVersions is [v2]"},
		{"once", 1, "all objects are stored in v2; status.storedVersions is [v2]"},
		{"on and on", 100, "pools.example.com: " + errChanged.Error()},
	} {
		var s *migrationServer
		var created []string
		s, c := newMigrationServer(t, func(attempt int, svm *migration.StorageVersionMigration) int {
			s.crd.Status.StoredVersions = []string{"v2"} // somebody edits it
			if attempt%2 == 1 {
				created = append(created, svm.Annotations[MigratedAnnotation])
				return 0
			}
			if s.crd.Generation < int64(test.changes) {
				s.crd.Generation++
			}
			svm.Status.Conditions = condition(migration.MigrationSucceeded, "")
			return 0
		})
		last := ""
		err := c.MigrateStorage(t.Context(), s.crd.DeepCopy(), Migration{Rate: 1, Poll: time.Millisecond, Report: func(p Progress) { last = p.Text }})
		if err != nil {
			last = err.Error()
		}
		if last != test.want || len(created) != min(test.changes, maxRetries-1)+1 || created[0] != "1/0/v2" {
			t.Errorf("%s: %q after the migrations %q", test.name, last, created)
		}
		if got := s.crd.Annotations[MigratedAnnotation]; (got == history(s.crd)) != (err == nil) {
			t.Errorf("%s: the record is %q", test.name, got)
		}
	}
}

// TestMigrationOfAnEarlierRun: a run finds the migration that an interrupted one created, unless the
// specification has changed since, and takes no other one for it.
func TestMigrationOfAnEarlierRun(t *testing.T) {
	for record, finds := range map[string]bool{"1/0/v2": true, "1/1/v2": false, "2/0/v2": false, "1/0/v1": false, "": false} {
		s, c := newMigrationServer(t, func(_ int, svm *migration.StorageVersionMigration) int {
			svm.Status.Conditions = condition(migration.MigrationSucceeded, "")
			return 0
		})
		s.crd.Status.StoredVersions = []string{"v2"}
		other := migration.StorageVersionMigration{TypeMeta: metav1.TypeMeta{APIVersion: "storagemigration.k8s.io/v1", Kind: "StorageVersionMigration"}, ObjectMeta: metav1.ObjectMeta{Name: "first", Annotations: map[string]string{MigratedAnnotation: record}},
			Spec: migration.StorageVersionMigrationSpec{Resource: metav1.GroupResource{Group: "example.com", Resource: "pools"}}}
		s.others, s.svm = []migration.StorageVersionMigration{other}, &other
		first := ""
		if err := c.MigrateStorage(t.Context(), s.crd.DeepCopy(), Migration{Rate: 1, Poll: time.Millisecond, Report: func(p Progress) {
			if first == "" {
				first = p.Text
			}
		}}); err != nil {
			t.Error(err)
		}
		want := "created storageversionmigration/pools-abc"
		if finds {
			want = "waiting for storageversionmigration/first, which an earlier run created"
		}
		if first != want {
			t.Errorf("with a migration of %q: %q, want %q", record, first, want)
		}
	}
}

// TestMigrationEnds: however a wait for the API server's own migration ends, the last words say what
// becomes of it, and what to do.
func TestMigrationEnds(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var s *migrationServer
	for _, test := range []struct {
		name  string
		read  func(attempt int, svm *migration.StorageVersionMigration) int
		want  string
		early bool
	}{
		{"failed", func(_ int, svm *migration.StorageVersionMigration) int {
			svm.Status.Conditions = condition(migration.MigrationFailed, "resource does not exist in GC")
			return 0
		}, "storageversionmigration/pools-abc failed: resource does not exist in GC; another run creates another one, and --rewrite needs none", false},
		{"unreadable", func(int, *migration.StorageVersionMigration) int {
			return http.StatusForbidden
		}, "reading storageversionmigration/pools-abc: not now; --rewrite needs no StorageVersionMigration", false},
		{"broken", func(int, *migration.StorageVersionMigration) int {
			return http.StatusBadGateway
		}, "reading its status: not now; storageversionmigration/pools-abc goes on without this command: run it again to wait for the end", true},
		{"deleted", func(int, *migration.StorageVersionMigration) int {
			s.crd.UID = "2"
			return 0
		}, "pools.example.com was deleted and created again meanwhile", false},
		{"interrupted", func(attempt int, _ *migration.StorageVersionMigration) int {
			if attempt == 3 {
				cancel()
			}
			return 0
		}, "interrupted; storageversionmigration/pools-abc goes on without this command: run it again to wait for the end", true},
	} {
		var c *Cluster
		s, c = newMigrationServer(t, test.read)
		err := c.MigrateStorage(ctx, s.crd.DeepCopy(), Migration{Rate: 1, Poll: time.Millisecond})
		if err == nil || err.Error() != test.want || errors.As(err, new(*Interrupted)) != test.early {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}
