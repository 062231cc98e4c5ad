package main

import (
	"crypto/tls"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// TestPageNamesTheFailedObject: while all reviews of a kind fail, the status page does not show it as
// serving: the kind is first, with the object, and /modules has the same numbers.
func TestPageNamesTheFailedObject(t *testing.T) {
	p := start(t, "--vet=false")
	p.waitReady(t)
	p.install(t, "one.wasm")
	const file = "Failing.hostile.example.com_v1_v2.wasm"
	copyTo(t, "../../runtime/testdata/a07_name.wasm", filepath.Join(p.modules, file))
	eventually.True(t, "four reviews to fail", func() bool {
		if err := p.hostileReview("Failing"); err != nil {
			t.Fatal(err)
		}
		var list []struct {
			File        string
			Conversions []struct {
				From, To, LastFailure string
				Reviews, Failed       int
			}
		}
		_, text := p.get(t, "/modules")
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			t.Fatal(err)
		}
		for _, m := range list {
			for _, c := range m.Conversions {
				if m.File == file && c.From == "v1" && c.To == "v2" && c.Failed >= 4 && c.Failed == c.Reviews && regexp.MustCompile(`object 0 \(a\)|object "?a"?`).MatchString(c.LastFailure) {
					return true
				}
			}
		}
		return false
	})
	_, page := p.get(t, "/")
	first := regexp.MustCompile(`(?s)<details id="([^"]*)">.*?</details>`).FindStringSubmatch(page)
	if first == nil || first[1] != "Failing.hostile.example.com" {
		t.Fatalf("the first kind is not the failing one: %q", first)
	}
	for _, want := range []string{`<i class="bad">\d+ of \d+</i><b class="badge bad">failing</b><p class="bad">cannot convert .*\(a\)`, `<b class="bad">v1 → v2</b>.*\d+ of \d+ failed`} {
		if !regexp.MustCompile(want).MatchString(first[0]) {
			t.Errorf("missing: %s in\n%s", want, first[0])
		}
	}
}

// TestPageNamesClientsWithoutTrust: with a wrong caBundle no review arrives, so that every kind looks idle and well.
func TestPageNamesClientsWithoutTrust(t *testing.T) {
	p := start(t, "--vet=false")
	if _, page := p.get(t, "/"); strings.Contains(page, "does not trust") {
		t.Fatal("the page names a client before one came")
	}
	if _, err := tls.Dial("tcp", p.reviews, &tls.Config{ServerName: "localhost"}); err == nil {
		t.Fatal("the handshake succeeded")
	}
	eventually.True(t, "the page to name the client", func() bool {
		_, page := p.get(t, "/")
		return regexp.MustCompile(`<p class="card bad">the client does not trust the certificate: [^<]* from 127\.0\.0\.1:`).MatchString(page)
	})
}

// TestPageNamesTheIgnoredFile: another packing of a serving module is ignored. The line of its kind
// says so without unfolding, and does not call the kind itself refused.
func TestPageNamesTheIgnoredFile(t *testing.T) {
	p := start(t, "--vet=false")
	p.install(t, "one.wasm")
	p.waitReady(t)
	copyTo(t, "testdata/one.wasm", filepath.Join(p.modules, "Widget.example.com_v1_v2.wasm.gz"))
	want := regexp.MustCompile(`<b class="badge bad">file refused</b><p class="bad">Widget\.example\.com_v1_v2\.wasm\.gz: the directory has the same module as [^<]*</p></summary>`)
	eventually.True(t, "the page to name the file", func() bool {
		_, page := p.get(t, "/")
		return want.MatchString(page)
	})
}
