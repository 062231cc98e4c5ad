package attach

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/time/rate"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
)

// rewriteAll rewrites some objects at an API server.
func rewriteAll(t *testing.T, objects int, server http.HandlerFunc) (*writing, error) {
	t.Helper()
	s := httptest.NewServer(server)
	t.Cleanup(s.Close)
	client, err := metadata.NewForConfig(&rest.Config{Host: s.URL, QPS: -1})
	if err != nil {
		t.Fatal(err)
	}
	w := &writing{pace: rate.NewLimiter(rate.Inf, 1)}
	all := make([]metav1.PartialObjectMetadata, objects)
	for i := range all {
		all[i].Name, all[i].Namespace = fmt.Sprintf("pool-%d", i), "default"
	}
	return w, w.page(t.Context(), all, w.rewrite(client.Resource(objectsResource(pools(t), "v2"))))
}

// TestRewriteOverRestart: an API server is restarted, which ends connections without an answer. The patches
// are sent again.
func TestRewriteOverRestart(t *testing.T) {
	var requests atomic.Int64
	r, err := rewriteAll(t, 20, func(w http.ResponseWriter, _ *http.Request) {
		if requests.Add(1) <= 10 {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadata"}})
	})
	if err != nil || r.done != 20 || len(r.failed) > 0 {
		t.Errorf("%d objects are rewritten, failed are %q, the error is %v", r.done, r.failed, err)
	}
}

// TestRewriteStopsAtDeadWebhook: the API server cannot call the conversion webhook, so no object can be
// rewritten. The run ends with the objects under way, and says the remedy. A webhook that refuses
// objects does not end it.
func TestRewriteStopsAtDeadWebhook(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the repetitions of a request")
	}
	for _, c := range []struct{ text, want string }{
		{`conversion webhook for example.com/v1, Kind=Pool failed: Post "https://crosswalk.crosswalk-system.svc:443/convert?timeout=30s": dial tcp 10.0.0.1:443: connect: connection refused`,
			"if the gateway answers above, a firewall or NetworkPolicy is between the API server and the gateway's pods"},
		{`conversion webhook for example.com/v1, Kind=Pool failed: Post "https://crosswalk.crosswalk-system.svc:443/convert?timeout=30s": no endpoints available for service "crosswalk"`, "start the gateway"},
		{`conversion webhook for example.com/v1, Kind=Pool failed: spec.host: not a host [refused by module a]`, ""},
	} {
		t.Run(c.want, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int64
			r, err := rewriteAll(t, 30, func(w http.ResponseWriter, _ *http.Request) {
				requests.Add(1)
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusInternalServerError)
				_ = json.NewEncoder(w).Encode(metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure, Code: 500, Reason: metav1.StatusReasonInternalError, Message: c.text})
			})
			if c.want == "" {
				if err != nil || len(r.failed) != maxNamed+1 {
					t.Errorf("of refused objects failed %d: %v", len(r.failed), err)
				}
				return
			}
			if err == nil || !strings.HasPrefix(err.Error(), "default/pool-") || !strings.HasSuffix(err.Error(), c.want) {
				t.Errorf("the error is %v", err)
			}
			if n := requests.Load(); n > writers*maxRetries {
				t.Errorf("%d requests before the end", n)
			}
		})
	}
}
