package statuspage

import (
	"context"
	"encoding/json"
	"fmt"
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

// measured is what a browser says of the page in a frame of one width.
type measured struct {
	Width      int      // of the content
	Outside    []string // elements that reach over the edge
	Worst      float64  // where the first failing kind begins, in pixels from the top
	Lines      int      // kinds that show
	Height     float64  // of the first kind, folded
	Unfolded   []string // by the address
	Filtered   int      // kinds that show after filtering for the last one
	Refreshed  int      // kinds that show after the page refreshed itself
	StillOpen  bool     // the unfolded one, then
	Background string
	Trouble    []string // violations of the content security policy
}

// harness shows the page in frames of both widths, uses it, and writes the measurements into itself.
const harness = `<!doctype html><title>frames</title><body style="margin:0;display:flex;gap:8px"><script>
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const measure = async (width) => {
  const frame = document.createElement("iframe");
  frame.style = "border:0;height:1300px;flex:none;width:" + width + "px";
  frame.src = "/page#LAST";
  document.body.append(frame);
  await new Promise((done) => frame.onload = done);
  const d = frame.contentDocument, shown = () => [...d.querySelectorAll("details")].filter((k) => k.offsetHeight > 0);
  const m = { Trouble: [] };
  d.addEventListener("securitypolicyviolation", (e) => m.Trouble.push(e.violatedDirective));
  m.Lines = shown().length;
  m.Unfolded = shown().filter((k) => k.open).map((k) => k.id);
  frame.contentWindow.scrollTo(0, 0);
  m.Worst = d.querySelector("details").getBoundingClientRect().top;
  m.Height = d.querySelector("details > summary > b").getBoundingClientRect().height;
  for (const k of shown().slice(0, 40)) k.open = true;
  m.Width = d.documentElement.scrollWidth;
  m.Outside = [...d.querySelectorAll("main *")].filter((e) => e.getBoundingClientRect().right > width + 1).map((e) => e.outerHTML.slice(0, 80));
  m.Background = frame.contentWindow.getComputedStyle(d.body).backgroundColor;
  for (const k of shown()) k.open = k.id === "LAST";
  const filter = d.getElementById("filter");
  filter.value = "LAST".toUpperCase();
  filter.dispatchEvent(new Event("input"));
  m.Filtered = shown().length;
  await wait(7000);
  m.Refreshed = shown().length;
  m.StillOpen = d.getElementById("LAST").open;
  filter.value = "";
  filter.dispatchEvent(new Event("input"));
  d.getElementById("LAST").open = false;
  frame.contentWindow.scrollTo(0, 0);
  return m;
};
Promise.all([measure(1280), measure(390)]).then((all) => {
  const out = document.createElement("script");
  out.type = "application/json";
  out.textContent = "MEASURED" + JSON.stringify(all) + "DONE";
  document.body.append(out);
});
</script>`

// TestBrowser reads the page in a real browser, if there is one: on a desktop and on a telephone, in
// light and in dark, with one kind and with 500. CROSSWALK_PICTURES names a directory for pictures.
func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("-short")
	}
	if err := browser.Find(); err != nil {
		t.Skip("no chromium")
	}
	for _, n := range []int{1, 40, 500} {
		for scheme, background := range map[string]string{"light": "rgb(246, 247, 249)", "dark": "rgb(18, 22, 29)"} {
			t.Run(fmt.Sprintf("%d-%s", n, scheme), func(t *testing.T) {
				v := full()
				v.Kinds, v.NotReady, v.Problems = kinds(n), "", nil
				last := v.Kinds[n-1].Name
				for i, m := range look(t, v, last, scheme) {
					width := []int{1280, 390}[i]
					line := 60.0 // two lines of text, where a name needs them
					if m.Width > width || len(m.Outside) > 0 || m.Lines != n || m.Worst > 500 || m.Height > line || len(m.Trouble) > 0 {
						t.Errorf("%d px: %+v", width, m)
					}
					if fmt.Sprint(m.Unfolded) != "["+last+"]" || m.Filtered != 1 || m.Refreshed != 1 || !m.StillOpen {
						t.Errorf("%d px: the address unfolds %q, the filter leaves %d kinds, and %d after a refresh, unfolded: %v", width, m.Unfolded, m.Filtered, m.Refreshed, m.StillOpen)
					}
					if m.Background != background {
						t.Errorf("%d px: the background is %s, want %s", width, m.Background, background)
					}
				}
			})
		}
	}
}

// TestFirstPaintWithoutScript: everything but the filter is in the document.
func TestFirstPaintWithoutScript(t *testing.T) {
	v := full()
	v.Kinds = kinds(500)
	text, _ := get(t, v)
	if n := len(regexp.MustCompile(`<details id="[^"]+"><summary`).FindAllString(text, -1)); n != 500 {
		t.Errorf("%d of 500 kinds are in the document", n)
	}
	if before, _, _ := strings.Cut(text, "<body>"); strings.Contains(before, "<script") || strings.Contains(before, "<link") {
		t.Errorf("the page waits for more before it is drawn: %s", before)
	}
}

// look returns the measurements of the page at both widths.
func look(t *testing.T, v View, last, scheme string) (all []measured) {
	t.Helper()
	page := Handler(func() View { return v })
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, strings.ReplaceAll(harness, "LAST", last))
			return
		}
		recorder := httptest.NewRecorder()
		page.ServeHTTP(recorder, r)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", strings.Replace(recorder.Header().Get("Content-Security-Policy"), "frame-ancestors 'none'", "frame-ancestors 'self'", 1))
		_, _ = recorder.Body.WriteTo(w)
	}))
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	dir := browserDir(t)
	pictures := os.Getenv("CROSSWALK_PICTURES")
	if pictures == "" {
		pictures = dir
	}
	preferred := map[string]string{"dark": "0", "light": "1"}[scheme]
	picture := browser.Picture{
		Address: server.URL, File: filepath.Join(pictures, strings.ReplaceAll(t.Name(), "/", "-")+".png"), Dir: dir, Width: 1700, Height: 1300,
		Flags: []string{"--enable-logging=stderr", "--v=0", "--dump-dom", "--blink-settings=preferredColorScheme=" + preferred},
	}
	out, err := picture.Take(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "CONSOLE") {
			t.Errorf("the browser says: %s", line)
		}
	}
	found := regexp.MustCompile(`>MEASURED(.*)DONE<`).FindSubmatch(out)
	if found == nil {
		t.Fatalf("the browser measured nothing: %.3000s", out)
	}
	if err := json.Unmarshal(found[1], &all); err != nil || len(all) != 2 {
		t.Fatalf("%v: %s", err, found[1])
	}
	return all
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
