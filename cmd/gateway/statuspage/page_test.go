package statuspage

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/browser"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func full() View {
	return View{
		Version: "v1.2.3", NotReady: "starting: <modules> are being loaded", Problem: "the directory & all", Started: start, Now: start.Add(90 * time.Second),
		Trends: []Trend{{Name: "reviews", Now: "1.5 /s", Values: []float64{0, 1, 4}, Window: "last 30s"}, {Name: "failed", Now: "2 /s", Values: []float64{0, 2}, Bad: true}},
		Kinds: []Kind{{
			Name: "CronTab.stable.example.com", Versions: []Version{{"v1", "storage"}, {"v2", ""}, {"v3", "not served"}},
			Edges: []Edge{
				{From: "v1", To: "v2", Label: "v1_v2 · abcdef01", Title: "a\nb \"c\"", State: Good}, {From: "v2", To: "v1", Label: "v1_v2 · abcdef01", State: Note},
				{From: "v1", To: "v3", Label: "v1_v1alpha1_v1beta1_v2_v3 · abcdef02", Short: "abcdef02", State: Bad}, {From: "v1", To: "v9", Label: "not drawn", State: Bad},
			},
			Missing: []string{"v3 is served, and nothing converts v3 to v1 (storage)"},
		}},
		Modules: []Module{{File: "a.wasm", Status: "serving", State: Good, Digest: "abcdef012345", Facts: []Fact{{"calls", "7"}}, Trouble: "<script>alert(1)</script>"}},
		Events:  []Event{{At: start.Add(30 * time.Second), What: "replaced", File: "a.wasm", Why: "a → b", State: Good}},
		Links:   []Link{{"/metrics", "metrics"}}, Pulled: start.Add(-30 * time.Second),
	}
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
		"starting: &lt;modules&gt; are being loaded", "the directory &amp; all", "v1.2.3, started 90 s ago, 12:01:30 UTC",
		"&lt;script&gt;alert(1)&lt;/script&gt;", "v1_v2 · abcdef01", "<title>a\nb &#34;c&#34;</title>", "storage", "not served",
		"<li>v3 is served, and nothing converts v3 to v1 (storage)</li>", `<span class="badge good">replaced</span>`, "60 s ago", "<i>calls</i> 7",
		`<a href="/metrics">/metrics</a> metrics`, `class="line bad"`, "from a registry, which last confirmed them 2 min ago",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("missing: %s", want)
		}
	}
	if !strings.Contains(text, ">abcdef02</text>") || strings.Contains(text, "v1alpha1") {
		t.Error("a long label is not shortened")
	}
	if strings.Contains(text, "not drawn") {
		t.Error("an edge to a version that is not there is drawn")
	}
	if policy := header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy: %s", policy)
	}
	if n := len(text); n > 40<<10 {
		t.Errorf("the page has %d bytes", n)
	}
}

func TestEmptyPage(t *testing.T) {
	text, _ := get(t, View{Started: start, Now: start})
	for _, want := range []string{
		`<span class="badge good">ready</span>`, "There are no conversions yet.", "The module directory has no files.", "There are no events yet.", "just now",
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

// TestDrawingsAreWellFormed reads every SVG as XML, which is stricter than HTML.
func TestDrawingsAreWellFormed(t *testing.T) {
	v := full()
	drawings := []string{string(tips()), string(graph(v.Kinds[0])), string(graph(Kind{Name: `<"&`}))}
	for _, values := range [][]float64{nil, {0}, {1}, {0, 0}, {1, 2, 3}} {
		drawings = append(drawings, string(sparkline(Trend{Name: `a"b`, Values: values})))
	}
	for _, d := range drawings {
		for decoder := xml.NewDecoder(strings.NewReader(d)); ; {
			if _, err := decoder.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Errorf("%v: %s", err, d)
				break
			}
		}
		if strings.Contains(d, "NaN") || strings.Contains(d, "Inf") {
			t.Errorf("a drawing with no number: %s", d)
		}
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

// TestBrowser draws the page and runs its script in a real browser, if there is one.
func TestBrowser(t *testing.T) {
	if err := browser.Find(); err != nil {
		t.Skip("no chromium")
	}
	v := full()
	server := httptest.NewServer(Handler(func() View { return v }))
	defer server.Close()
	dir := browserDir(t)
	shot := filepath.Join(dir, "page.png")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	picture := browser.Picture{Address: server.URL, File: shot, Dir: dir, Width: 1240, Height: 1400, Flags: []string{"--enable-logging=stderr", "--v=0"}}
	out, err := picture.Take(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(shot); err != nil || info.Size() < 10<<10 {
		t.Errorf("the picture: %v, %v", info, err)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "CONSOLE") { // for example a violation of the content security policy
			t.Errorf("the browser says: %s", line)
		}
	}
}

// browserDir returns a directory for the files of a browser. Helper processes may still write while
// it is removed.
func browserDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "statuspage-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		eventually.Succeeds(t, "the browser's files to be removed", func() error { return os.RemoveAll(dir) })
	})
	return dir
}
