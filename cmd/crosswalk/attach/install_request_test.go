package attach

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
)

// TestInstallAppliesOnlyItsFiles asserts that the request has only the owner's files, under a field
// manager of its own: server-side apply then leaves the files of others alone.
func TestInstallAppliesOnlyItsFiles(t *testing.T) {
	existing, applied := "", ""
	c := clusterOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.Method {
		case http.MethodGet:
			if existing == "" {
				w.WriteHeader(http.StatusNotFound)
				_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`)
				return
			}
			_, _ = io.WriteString(w, existing)
		default:
			body, _ := io.ReadAll(r.Body)
			applied = fmt.Sprintf("%s %s?%s %s", r.Method, r.URL.Path, r.URL.RawQuery, r.Header.Get("Content-Type"))
			var object map[string]any
			if err := json.Unmarshal(body, &object); err != nil {
				t.Error(err)
			}
			applied += fmt.Sprint(" ", object["binaryData"])
			all := map[string]any{}
			var before struct{ BinaryData map[string]any }
			_ = json.Unmarshal([]byte(existing), &before)
			maps.Copy(all, before.BinaryData)
			maps.Copy(all, object["binaryData"].(map[string]any))
			_ = json.NewEncoder(w).Encode(map[string]any{
				"kind": "ConfigMap", "apiVersion": "v1", "metadata": map[string]any{"name": "modules", "resourceVersion": "2"}, "binaryData": all,
			})
		}
	}))
	const path = "PATCH /api/v1/namespaces/gateways/configmaps/modules?"
	const others = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"modules","resourceVersion":"%s"},"binaryData":{"B.x.io_v1_v2.wasm":"Yg=="}}`
	for _, tc := range []struct {
		name, existing string
		dryRun         bool
		changed        bool
		want           []string
	}{
		{"the first", "", false, true, []string{path, "fieldManager=crosswalk-a.x.io", "force=true", "application/apply-patch+yaml", "map[A.x.io_v1_v2.wasm:YQ==]"}},
		{"beside others", fmt.Sprintf(others, "1"), false, true, []string{"map[A.x.io_v1_v2.wasm:YQ==]"}},
		{"no change", fmt.Sprintf(others, "2"), false, false, []string{"map[A.x.io_v1_v2.wasm:YQ==]"}},
		{"a dry run", "", true, true, []string{"dryRun=All"}},
		{"a dry run beside others", fmt.Sprintf(others, "2"), true, true, []string{"dryRun=All"}},
		{"a dry run without a change", strings.Replace(fmt.Sprintf(others, "2"), `{"B`, `{"A.x.io_v1_v2.wasm":"YQ==","B`, 1), true, false, []string{"dryRun=All"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			existing, applied = tc.existing, ""
			changed, err := c.Install(context.Background(), "gateways", "modules", Modules{Owner: "a.x.io", Files: map[string][]byte{"A.x.io_v1_v2.wasm": []byte("a")}}, tc.dryRun)
			if err != nil || changed != tc.changed {
				t.Errorf("changed %v, %v; want %v", changed, err, tc.changed)
			}
			for _, want := range tc.want {
				if !strings.Contains(applied, want) {
					t.Errorf("the request is %q, without %q", applied, want)
				}
			}
			if strings.Contains(applied, "dryRun") != tc.dryRun {
				t.Errorf("the request is %q; a dry run: %v", applied, tc.dryRun)
			}
		})
	}
}
