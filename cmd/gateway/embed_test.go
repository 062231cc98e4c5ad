package main_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/runtime"
)

// convertIn returns a handler that answers conversion reviews with the modules in a directory, for a
// server that has TLS and limits of its own. It follows the directory until ctx ends.
func convertIn(ctx context.Context, dir string, ready func()) (http.Handler, error) {
	modules := &host.Sets{}
	registry, err := runtime.New(runtime.Config{Dir: dir, Registerer: prometheus.NewRegistry(), OnReady: ready, OnSet: func(set *runtime.Set) {
		var edges []host.Edge
		for _, b := range set.Bindings() {
			edges = append(edges, host.Edge{Group: b.Group, Kind: b.Kind, From: b.From, To: b.To, Module: b.Module})
		}
		modules.Replace(set, modules.Routes().Next(edges))
	}})
	if err != nil {
		return nil, err
	}
	converter, err := host.NewConverter(host.ConverterConfig{Modules: modules})
	if err != nil {
		return nil, err
	}
	go func() { _ = registry.Run(ctx) }() // ends with ctx
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 16<<20))
		if err == nil {
			body, _, err = converter.Review(r.Context(), body)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_, _ = w.Write(body)
	}), nil
}

// Example embeds conversions in another server.
func Example() {
	dir, err := os.MkdirTemp("", "modules")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	wasm, err := os.ReadFile("../../runtime/testdata/good_schedule.wasm")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "CronTab.stable.example.com_v1_v2.wasm"), wasm, 0o600)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ready := make(chan struct{})
	handler, err := convertIn(ctx, dir, func() { close(ready) })
	if err != nil {
		fmt.Println(err)
		return
	}
	<-ready

	server := httptest.NewServer(handler)
	defer server.Close()
	response, err := http.Post(server.URL, "application/json", strings.NewReader(`{"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
		"request": {"uid": "42", "desiredAPIVersion": "stable.example.com/v2", "objects": [
			{"apiVersion": "stable.example.com/v1", "kind": "CronTab", "metadata": {"name": "daily"}}]}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(answer))
	// Output:
	// {"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"42","convertedObjects":[{"apiVersion":"stable.example.com/v2","kind":"CronTab","metadata":{"name": "daily"},"spec":{"schedule":"0 5 * * *"}}],"result":{"status":"Success"}}}
}
