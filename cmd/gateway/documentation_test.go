package main

import (
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/docs"
)

// TestRunbooksAreServed finds the section that every alert names on the admin port, and with it the
// row of the table that is its runbook.
func TestRunbooksAreServed(t *testing.T) {
	alerts, err := os.ReadFile("../../deploy/chart/files/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	urls := regexp.MustCompile(`runbook_url: \S+/(docs/\S+)#(\S+)`).FindAllStringSubmatch(string(alerts), -1)
	if len(urls) < 20 {
		t.Fatalf("%d alerts have a runbook", len(urls))
	}
	for _, u := range urls {
		code, page := get(t, "/"+u[1])
		if code != 200 || !strings.Contains(page, `<span id="`+u[2]+`">`) {
			t.Errorf("/%s: %d, without #%s", u[1], code, u[2])
		}
		p, err := docs.Find("https://example.com/" + u[1])
		if err != nil {
			t.Fatal(err)
		}
		if text, err := p.Section(u[2]); err != nil || !strings.HasPrefix(text, "| alert |") || strings.Count(text, "\n") != 3 {
			t.Errorf("crosswalk docs %s#%s: %v\n%s", u[1], u[2], err, text)
		}
	}
}

// TestDocumentationLinks follows every link of every page on the admin port.
func TestDocumentationLinks(t *testing.T) {
	link := regexp.MustCompile(`<a href="([^"#]*)(?:#([^"]+))?">`)
	seen := 0
	for _, p := range append(docs.All(), docs.Page{}) {
		base := "/docs/" + p.Path
		code, page := get(t, base)
		if code != 200 {
			t.Errorf("%s: %d", base, code)
		}
		for _, m := range link.FindAllStringSubmatch(page, -1) {
			if m[1] == "/" {
				continue // the status page
			}
			target, err := httptest.NewRequest("GET", base, nil).URL.Parse(m[1])
			if err != nil {
				t.Fatal(err)
			}
			seen++
			if code, page := get(t, target.Path); code != 200 || m[2] != "" && !strings.Contains(page, `<span id="`+m[2]+`">`) {
				t.Errorf("%s: the link to %s#%s: %d", base, m[1], m[2], code)
			}
		}
	}
	if seen < 200 {
		t.Errorf("%d links", seen)
	}
	if code, text := get(t, "/docs/nothing"); code != 404 || !strings.HasPrefix(text, `there is no page "nothing": the pages are `) {
		t.Errorf("%d %s", code, text)
	}
	if code, _ := get(t, "/docs/failures"); code != 302 {
		t.Errorf("a name alone: %d, want 302", code)
	}
	if _, page := get(t, "/docs/use/cli.md"); strings.Contains(page, "<FILE") || strings.Contains(page, "<script") {
		t.Error("the Markdown is not escaped")
	}
}

func get(t *testing.T, path string) (code int, page string) {
	t.Helper()
	w := httptest.NewRecorder()
	documentation.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w.Code, w.Body.String()
}
