package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/widgets"
)

// readyUntil waits until /readyz?verbose has this text and status.
func (p *process) readyUntil(t *testing.T, code int, want string) {
	t.Helper()
	p.saysUntil(t, "/readyz?verbose", code, want)
}

// saysUntil waits until a page of the admin port has this text and status.
func (p *process) saysUntil(t *testing.T, path string, code int, want string) {
	t.Helper()
	eventually.Succeeds(t, path, func() error {
		if got, text := p.get(t, path); got != code || text != want {
			return fmt.Errorf("it says %d\n%s\nwant %d\n%s", got, text, code, want)
		}
		return nil
	})
}

// TestRequire: a gateway becomes ready when modules do the conversions of --require, and stays
// ready; every page lists missing conversions.
func TestRequire(t *testing.T) {
	const (
		file    = "Widget.example.com_v1_v2.wasm"
		nothing = "no module converts Widget.example.com from v1 to v2: no module is loaded for this kind (its file would be named like " + file + ")"
		removed = "no module converts Widget.example.com from v1 to v2: module " + file + " exists but is not loaded: taken out of service by Widget.example.com_v1_v2.removed"
		metric  = "\ncrosswalk_required_conversions_missing "
	)
	setTimes(t, times{StartGrace: time.Hour})
	p := start(t, "--require", "Widget.example.com_v1_to_v2")
	p.readyUntil(t, 503, "[+]modules ok\n[-]--require Widget.example.com_v1_to_v2 failed: "+nothing+
		"\nstarting: conversions are missing: --require Widget.example.com_v1_to_v2: "+nothing+"\n")
	if _, err := p.review(); err == nil || !strings.HasPrefix(err.Error(), "503: starting: conversions are missing: ") {
		t.Errorf("a review ends with %v", err)
	}
	if _, text := p.get(t, "/"); !strings.Contains(text, `<details id="Widget.example.com">`) || !strings.Contains(text, "missing: --require demands v1 to v2<") {
		t.Errorf("the status page does not say what is missing: %s", text)
	}
	if _, text := p.get(t, "/metrics"); !strings.Contains(text, metric+"1\n") {
		t.Error("the metric does not say that one is missing")
	}

	p.install(t, "one.wasm")
	p.readyUntil(t, 200, "[+]modules ok\n[+]--require Widget.example.com_v1_to_v2 ok\nready\n")
	p.reviewUntil(t, `{"module":"one"}, <nil>`)

	widgets.Put(t, p.modules, strings.Replace(file, ".wasm", ".removed", 1), "")
	p.readyUntil(t, 200, "[+]modules ok\n[-]--require Widget.example.com_v1_to_v2 failed: "+removed+"\nready\n")
	if _, text := p.get(t, "/metrics"); !strings.Contains(text, metric+"1\n") {
		t.Error("the metric does not say that one is missing again")
	}
}

// TestRequireSeveral: of several missing conversions, the message names the first.
func TestRequireSeveral(t *testing.T) {
	const nothing = "no module converts Widget.example.com from v1 to v2: no module is loaded for this kind (its file would be named like Widget.example.com_v1_v2.wasm)"
	p := start(t, "--require", "Widget.example.com_v1_v2", "--require", "Backup.example.com_v1_to_v3")
	const want = "starting: conversions are missing: --require Widget.example.com_v1_to_v2: " + nothing + "; and 2 more, which /readyz?verbose lists\n"
	p.saysUntil(t, "/readyz", 503, want)
}

// TestReadinessByDefinition: a gateway waits for all conversions that an API server may ask for by
// a definition beside the modules.
func TestReadinessByDefinition(t *testing.T) {
	const (
		back = "v2 is served, and nothing converts v2 to v1 (storage)"
		all  = "v2 is served, and nothing converts v1 (storage) to v2; " + back
	)
	dir := t.TempDir()
	widgets.Put(t, dir, widgets.File, widgets.Definition("string"))
	for _, check := range []string{"report", "off"} {
		t.Run(check, func(t *testing.T) {
			p := start(t, "--modules", dir, "--schema-check", check)
			p.modules = dir
			if check == "off" {
				p.readyUntil(t, 200, "[+]modules ok\nready\n")
				return
			}
			p.readyUntil(t, 503, "[+]modules ok\n[-]"+widgets.File+" failed: "+all+"\nstarting: conversions are missing: "+widgets.File+": "+all+"\n")
			if _, text := p.get(t, "/"); !strings.Contains(text, `<details id="Widget.example.com">`) || !strings.Contains(text, "missing: "+back+"<") {
				t.Errorf("the status page does not say what is missing: %s", text)
			}
			copyTo(t, "testdata/one.wasm", dir+"/Widget.example.com_v1_to_v2.wasm")
			p.readyUntil(t, 503, "[+]modules ok\n[-]"+widgets.File+" failed: "+back+"\nstarting: conversions are missing: "+widgets.File+": "+back+"\n")
			copyTo(t, "testdata/one.wasm", dir+"/Widget.example.com_v2_to_v1.wasm")
			p.readyUntil(t, 200, "[+]modules ok\n[+]"+widgets.File+" ok\nready\n")
		})
	}
}

// TestLoadingIsVisible: while the gateway loads a new module, it rejects reviews for it, and
// /modules and the status page show it.
func TestLoadingIsVisible(t *testing.T) {
	const file = "Slow.hostile.example.com_v1_v2.wasm"
	setTimes(t, times{StartGrace: time.Hour})
	p := start(t, "--vet=false")
	p.waitReady(t)
	spin, err := os.ReadFile("../../runtime/testdata/m09_start_spin.wasm") // it takes half a second or more to use up its fuel
	if err != nil {
		t.Fatal(err)
	}
	places := map[string]func() bool{
		"the review": func() bool {
			code, text, err := p.post(`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u-1","desiredAPIVersion":"hostile.example.com/v2",` +
				`"objects":[{"apiVersion":"hostile.example.com/v1","kind":"Slow","metadata":{"name":"a"},"spec":{}}]}}`)
			return err == nil && code == 503 && strings.Contains(text, "; module "+file+" has been loading since ")
		},
		"/modules":        func() bool { _, text := p.get(t, "/modules"); return strings.Contains(text, `"loadingSince"`) },
		"the status page": func() bool { _, text := p.get(t, "/"); return strings.Contains(text, "loading since") },
	}
	stop, written := make(chan struct{}), make(chan struct{})
	go func() { // ends with stop
		defer close(written)
		for n := 0; ; n++ { // new content again and again, at other moments than those at which pages are made
			if err := os.WriteFile(p.modules+"/"+file, append(slices.Clip(spin), 0, 3, 1, 'n', byte(n)), 0o644); err != nil {
				t.Error(err)
			}
			select {
			case <-stop:
				return
			case <-time.After(time.Duration(1300+100*(n%7)) * time.Millisecond):
			}
		}
	}()
	defer func() { close(stop); <-written }()
	for place, shows := range places {
		eventually.True(t, place+" to show that "+file+" is being loaded", shows)
	}
}
