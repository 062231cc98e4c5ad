package statuspage

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func full() View {
	return View{
		Version: "v1.2.3", NotReady: "starting: <modules> are being loaded", Problems: []string{"the directory & all", "the certificate, too"}, Started: start, Now: start.Add(90 * time.Second),
		Kinds:  kinds(3),
		Files:  []Module{{File: "b.wasm", Status: "refused", State: Bad, Digest: "abcdef012345", Facts: "calls 7", Trouble: "<script>alert(1)</script>"}},
		Events: []Event{{At: start.Add(30 * time.Second), What: "replaced", File: "a.wasm", Why: "a → b", State: Good}},
		Links:  []Link{{"/metrics", "metrics"}}, Pulled: start.Add(-30 * time.Second),
	}
}

// kinds returns n kinds; of ten, one fails and one failed earlier.
func kinds(n int) (all []Kind) {
	for i := range n {
		name := fmt.Sprintf("Certificate%03d.cert-manager.io", i)
		module := Module{File: "payments/" + name + "_v1_v2.wasm", Status: "serving", State: Good, Digest: "abcdef012345", Facts: "language rules · states a proof, carries 12 of 14 · calls 3512"}
		k := Kind{
			Name: name, Owner: "payments", Status: "serving", State: Good, Versions: "v1, v2 (storage)", Work: Work{"11.7 /s", "0.312 ms", ""},
			Conversions: []Conversion{{"v1", "v2", Good, Work{"5.1 /s", "0.31 ms", ""}}, {"v2", "v1", Good, Work{"6.6 /s", "0.32 ms", ""}}},
			Modules:     []Module{module},
		}
		failure := &Failure{start.Add(time.Minute), "cannot convert object 3 (shop/my-cert) of " + name + " from v1 to v2: " + module.File + " failed: \"quoted\" <trap>", "0a1b-2c3d"}
		switch {
		case i < (n+9)/10:
			k.Status, k.State, k.Work.Failed, k.Failing, k.Failure = "failing", Bad, "3 of 4", true, failure
			k.Missing = []string{"v3 is served, and nothing converts v3 to v1 (storage)"}
			k.Conversions[0].State = Bad
		case i < (n+9)/5:
			k.Failure = failure
			k.Status, k.State, k.Trouble = "file refused", Warn, module.File+": the file's newest content is not served"
		}
		all = append(all, k)
	}
	return all
}

func get(t *testing.T, v View) (string, http.Header) {
	t.Helper()
	w := httptest.NewRecorder()
	Handler(func() View { return v }).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("%d: %s", w.Code, w.Body)
	}
	return w.Body.String(), w.Header()
}

func TestPage(t *testing.T) {
	text, header := get(t, full())
	for _, want := range []string{
		"starting: &lt;modules&gt; are being loaded", "the directory &amp; all</p>", "the certificate, too</p>", "v1.2.3, started 90 s ago, 12:01:30 UTC",
		`<details id="Certificate000.cert-manager.io">`, `<b class="badge bad">failing</b><p class="bad">cannot convert object 3 (shop/my-cert) of Cert`,
		"failed: &#34;quoted&#34; &lt;trap&gt; <small>30 s ago</small></p></summary>", `<i class="bad">3 of 4</i>`, "<p>last failure: 12:01:00 UTC, uid 0a1b-2c3d</p>",
		`<b class="badge warn">file refused</b><p class="warn">payments/Certificate001.cert-manager.io_v1_v2.wasm: the file&#39;s newest content is not served</p></summary>`,
		`<p class="bad">missing: v3 is served, and nothing converts v3 to v1 (storage)</p>`, "<p>last failure: 12:01:00 UTC, uid 0a1b-2c3d: cannot convert object 3",
		`<b class="bad">v1 → v2</b>`, `<b>v2 → v1</b>`, "<span>v1, v2 (storage)</span><i>11.7 /s</i><i>0.312 ms</i>", "<small>payments</small>",
		"&lt;script&gt;alert(1)&lt;/script&gt;", `<b class="badge good">replaced</b>`, "60 s ago", "calls 7",
		`<a href="/metrics">/metrics</a> metrics`, "from a registry, which last confirmed them 2 min ago",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("missing: %s", want)
		}
	}
	if policy := header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy: %s", policy)
	}
}

// TestPageSize bounds the bytes of a page with 500 kinds.
func TestPageSize(t *testing.T) {
	for n, most := range map[int]int{1: 16 << 10, 40: 64 << 10, 500: 300 << 10} {
		v := full()
		v.Kinds = kinds(n)
		if text, _ := get(t, v); len(text) > most {
			t.Errorf("the page with %d kinds has %d bytes, at most %d", n, len(text), most)
		}
	}
}

func TestEmptyPage(t *testing.T) {
	text, _ := get(t, View{Started: start, Now: start})
	for _, want := range []string{
		`<b class="badge good">ready</b>`, "There are no conversions yet.", "There are no events yet.", "just now",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("missing: %s", want)
		}
	}
}

// TestNothingFromElsewhere: the page has no external assets.
func TestNothingFromElsewhere(t *testing.T) {
	text, _ := get(t, full())
	if found := regexp.MustCompile(`(src|href)="[^/#"][^"]*"|https?://|@import|url\([^#]`).FindAllString(text, -1); found != nil {
		t.Errorf("the page refers to %q", found)
	}
}

func TestAgo(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "just now", 1900 * time.Millisecond: "just now", 2 * time.Second: "2 s ago", 3 * time.Minute: "3 min ago",
		3 * time.Hour: "3 h ago", 72 * time.Hour: "3 days ago",
	} {
		if got := ago(start.Add(d), start); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
