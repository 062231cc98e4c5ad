package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"unicode"
	"unsafe"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
)

// evil is text of others that sets a terminal's title, clears it, and reverses text.
const (
	evil   = "EVIL\x1b]0;t\a\x1b[2J\u009b2J\u202eLIVE"
	quoted = `"EVIL\u001b]0;t\u0007\u001b[2J\u009b2J\u202eLIVE"` // in JSON and YAML
)

// terminal returns both ends of a terminal.
func terminal(t *testing.T) (screen, program *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals: %v", err)
	}
	t.Cleanup(func() { screen.Close() })
	var number, unlock uint32
	for request, value := range map[uintptr]*uint32{syscall.TIOCGPTN: &number, syscall.TIOCSPTLCK: &unlock} {
		if _, _, failed := syscall.Syscall(syscall.SYS_IOCTL, screen.Fd(), request, uintptr(unsafe.Pointer(value))); failed != 0 {
			t.Skipf("no terminals: %v", failed)
		}
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals: %v", err)
	}
	return screen, program
}

// onTerminal runs a command line with a terminal for its output, and returns all that it shows.
func onTerminal(t *testing.T, args ...string) string {
	t.Helper()
	screen, program := terminal(t)
	all := make(chan string)
	go func() { // ends with the program's end of the terminal
		text, _ := io.ReadAll(screen)
		all <- string(text)
	}()
	run(context.Background(), command.Streams{In: strings.NewReader(""), Out: program, Err: program}, "crosswalk", args)
	program.Close()
	return <-all
}

// ours are the sequences of the program itself: colours, and the begin of a line of progress.
var ours = regexp.MustCompile(`\x1b\[(31|32|33|90|0)?m|\r\x1b\[K|\r\n`)

// hostileServer is a registry, and an API server, that says evil things: a text, in JSON.
func hostileServer(t *testing.T, quoted string) *httptest.Server {
	names := func(plural string) string {
		return fmt.Sprintf(`{"kind":%s,"plural":%q,"singular":%s,"shortNames":[%s]}`, quoted, plural, quoted, quoted)
	}
	crd := fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"evils.example.com","uid":"1","annotations":{"crosswalk-gateway.github.io/attach":"true","crosswalk-gateway.github.io/status":%[1]s},
		"managedFields":[{"manager":%[1]s,"operation":"Update","apiVersion":"apiextensions.k8s.io/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:conversion":{}}}}]},
		"spec":{"group":"example.com","scope":"Namespaced","names":%[2]s,"versions":[{"name":"v1","served":true,"storage":true},{"name":%[1]s,"served":true}],
		"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":[%[1]s],"clientConfig":{"service":{"namespace":%[1]s,"name":%[1]s,"path":%[1]s}}}}},
		"status":{"storedVersions":["v1",%[1]s],"acceptedNames":%[2]s,"conditions":[{"type":"Established","status":"False","message":%[1]s}]}}`, quoted, names("evils"))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasPrefix(r.URL.Path, "/v2"):
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprintf(w, `{"errors":[{"code":"DENIED","message":%s}]}`, quoted)
		case strings.HasSuffix(r.URL.Path, "/customresourcedefinitions") && r.Method == http.MethodGet:
			fmt.Fprintf(w, `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinitionList","metadata":{},"items":[%s]}`, crd)
		case strings.HasSuffix(r.URL.Path, "/customresourcedefinitions/evils.example.com") && r.Method == http.MethodGet:
			io.WriteString(w, crd)
		default:
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":%s,"reason":"Forbidden","code":403}`, quoted)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// useKubeconfig has commands use an API server.
func useKubeconfig(t *testing.T, dir string, server *httptest.Server) {
	t.Helper()
	t.Setenv("KUBECONFIG", filepath.Join(dir, "kubeconfig"))
	writeFile(t, filepath.Join(dir, "kubeconfig"), fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"a","contexts":[{"name":"a","context":{"cluster":"a"}},{"name":%q,"context":{"cluster":"a"}}],"clusters":[{"name":"a","cluster":{"server":%q}}]}`, "b", server.URL))
}

// TestLongTextsOfAClusterAreCut runs the commands for clusters against an API server whose every text has
// half a megabyte: in names, conditions, field managers and errors. They show some of it.
func TestLongTextsOfAClusterAreCut(t *testing.T) {
	dir := t.TempDir()
	useKubeconfig(t, dir, hostileServer(t, strings.TrimSuffix(quoted, `"`)+`\nforged `+strings.Repeat("x", 512<<10)+`"`))
	for _, line := range [][]string{
		{"attach", "evils.example.com"}, {"detach", "evils.example.com"}, {"status"}, {"status", "evils.example.com"}, {"status", "--contexts", "*"},
		{"explain", "evils.example.com"}, {"refresh", "evils.example.com"}, {"migrate-storage", "evils.example.com"}, {"plan", "evils.example.com", "--to", "v1"}, {"plan", "--contexts", "*", "evils.example.com"},
		{"retire", "--dry-run", "evils.example.com", "v1"},
	} {
		var out, errors bytes.Buffer
		run(t.Context(), command.Streams{In: strings.NewReader(""), Out: &out, Err: &errors}, "crosswalk", line)
		if !strings.Contains(out.String()+errors.String(), "EVIL") {
			t.Errorf("%q shows no text of the API server:\n%.2000s\n%.2000s", line, &out, &errors)
		}
		if out.Len() > 200<<10 || errors.Len() > 100<<10 {
			t.Errorf("%q writes %d bytes of results and %d of errors", line, out.Len(), errors.Len())
		}
		if strings.Contains(out.String(), "\nforged") {
			t.Errorf("%q: a text begins a line of the results:\n%.2000s", line, &out)
		}
	}
}

// TestForeignTextDoesNotControlTheTerminal runs every command on a terminal with control characters in
// the text of others that it shows: arguments, files, modules, objects, registries, clusters.
func TestForeignTextDoesNotControlTheTerminal(t *testing.T) {
	dir, _ := exampleDir(t)
	server := hostileServer(t, quoted)
	t.Chdir(dir)
	t.Setenv("NO_COLOR", "")
	useKubeconfig(t, dir, server)
	object := `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":` + quoted + `},"spec":{"cronSpec":` + quoted + `,` + quoted + `:1}}`
	writeFile(t, filepath.Join(dir, "evil.yaml"), object)
	writeFile(t, filepath.Join(dir, "evil-rules.yaml"), "kind: "+quoted+"\n"+quoted+": 1\n")
	writeFile(t, filepath.Join(dir, "evil.js"), "throw new Error("+quoted+")\n")
	definition, err := os.ReadFile("crd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "evil-crd.yaml"), strings.Replace(string(definition), "cronSpec:", quoted+":", 1))
	registry := strings.TrimPrefix(server.URL, "http://")
	commands := map[string][][]string{
		"init":            {{"--crd", "evil-crd.yaml", "--rules"}, {evil}},
		"adopt":           {{"./" + evil}},
		"compile":         {{"evil-rules.yaml"}, {"evil.js"}},
		"check":           {{evil + ".wasm"}},
		"test":            {{"-f", "evil.yaml", echo + ".wasm"}},
		"fuzz":            {{"--crd", "evil-crd.yaml", "--for", "1s", echo + ".wasm"}, {"--crd", "crd.yaml", evil + ".wasm"}},
		"prove":           {{"--crd", "evil-crd.yaml", "evil-rules.yaml"}},
		"diff":            {{"-f", "evil.yaml", "old", "new"}, {evil, "new"}},
		"compat":          {{"evil-crd.yaml", "crd.yaml"}},
		"bench":           {{"-f", "evil.yaml", evil + ".wasm"}},
		"convert":         {{"-f", "evil.yaml", "--to", "v2", echo + ".wasm"}},
		"inspect":         {{evil + ".wasm"}},
		"configmap":       {{evil, echo + ".wasm"}},
		"push":            {{registry + "/a/b:c", echo + ".wasm"}},
		"pull":            {{registry + "/a/b:c", "--to", "pulled"}, {registry + "/a/b:c", "pulled"}},
		"attach":          {{"evils.example.com"}},
		"detach":          {{"evils.example.com"}},
		"status":          {{}},
		"explain":         {{"evils.example.com"}},
		"refresh":         {{"evils.example.com"}},
		"migrate-storage": {{"evils.example.com"}},
		"plan":            {{"evils.example.com", "--to", "v2"}},
		"retire":          {{"--dry-run", "evils.example.com", "v1"}},
		"completion":      {{evil}},
		"docs":            {{evil}},
		"version":         {{evil}},
	}
	for _, c := range allCommands() {
		if commands[c.Name()] == nil {
			t.Errorf("%s shows no text of others here", c.Name())
		}
	}
	for name, lines := range commands {
		t.Run(name, func(t *testing.T) {
			var all strings.Builder
			for _, line := range lines {
				all.WriteString(onTerminal(t, append([]string{name}, line...)...))
			}
			text := all.String()
			if !strings.Contains(text, "EVIL") {
				t.Errorf("it shows no text of others:\n%q", text)
			}
			for _, r := range ours.ReplaceAllString(text, "\n") {
				if r != '\n' && r != '\t' && unicode.Is(unicode.C, r) {
					t.Errorf("it shows %U:\n%q", r, text)
					break
				}
			}
		})
	}
}
