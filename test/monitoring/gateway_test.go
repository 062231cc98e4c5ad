package monitoring

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/prometheus/prometheus/util/teststorage"
)

const (
	module = "CronTab.stable.example.com_v1_v2"
	// rounds is the number of scrapes, 30 s apart as far as Prometheus can see.
	rounds = 12
)

// process is a gateway of this repository with the example CronTab in Go.
type process struct{ reviews, admin string }

func startGateway(t *testing.T) process {
	t.Helper()
	dir := t.TempDir()
	run := func(in string, env []string, args ...string) {
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = in, append(os.Environ(), env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, out)
		}
	}
	binary := filepath.Join(dir, "gateway")
	run("../..", []string{"CGO_ENABLED=0"}, "build", "-o", binary, "./cmd/gateway")
	if err := os.Mkdir(filepath.Join(dir, "modules"), 0o755); err != nil {
		t.Fatal(err)
	}
	built := filepath.Join(dir, "modules", module+".wasm")
	run("../../plugins/crontab/go", []string{"GOOS=wasip1", "GOARCH=wasm"}, "build", "-buildmode=c-shared", "-buildvcs=false", "-trimpath", "-ldflags=-s -w", "-o", built, ".")
	content, err := os.ReadFile("../../plugins/crontab/crd.yaml")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "modules/crontabs.stable.example.com.crd.yaml"), content, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	// What crosswalk pull --watch leaves beside the modules.
	pulled := filepath.Join(dir, "modules", "..data", "..pulled")
	if err := errors.Join(os.Mkdir(filepath.Dir(pulled), 0o755), os.WriteFile(pulled, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "--modules", filepath.Join(dir, "modules"), "--require="+module, "--compile-cache="+filepath.Join(dir, "cache"),
		"--listen=127.0.0.1:0", "--admin-listen=127.0.0.1:0", "--dev", "--drain-delay=0s", "--log-format=json")
	log, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(log)
	var p process
	for p.admin == "" && lines.Scan() {
		var entry struct{ Msg, Listen, Admin string }
		if json.Unmarshal(lines.Bytes(), &entry) == nil && entry.Msg == "serving" {
			p = process{entry.Listen, entry.Admin}
		}
	}
	read := make(chan struct{})
	go func() { // ends with the process
		defer close(read)
		_, _ = io.Copy(io.Discard, log)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		<-read
		if err := cmd.Wait(); err != nil {
			t.Errorf("the gateway ended with %v", err)
		}
	})
	if p.admin == "" {
		t.Fatal("the gateway ended before it served")
	}
	eventually(t, "the gateway to be ready", func() bool {
		response, err := http.Get("http://" + p.admin + "/readyz")
		if err != nil {
			return false
		}
		response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
	return p
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	const limit = 5 * time.Minute
	for end := time.Now().Add(limit); !is(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited %v for %s", limit, what)
		}
	}
}

// review sends a request body and returns the response's status.
func (p process) review(t *testing.T, c *http.Client, body string) int {
	t.Helper()
	response, err := c.Post("https://"+p.reviews+"/convert", "application/json", bytes.NewBufferString(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}

// traffic is a round of reviews: most succeed, the module refuses one, and one is not JSON.
func (p process) traffic(t *testing.T, c *http.Client, round int) {
	t.Helper()
	for i := range 40 {
		schedule := fmt.Sprintf("%d 2 * * 1-5", (i+round*(i%3))%60) // two of three are new to the cache
		if i == 7 && round == rounds/2 {
			schedule = "nonsense"
		}
		from, to, spec := "v1", "v2", fmt.Sprintf(`"cronSpec":%q`, schedule)
		if i%4 == 3 && schedule != "nonsense" {
			from, to, spec = "v2", "v1", `"min":"1","hour":"2","dayOfMonth":"3","month":"4","dayOfWeek":"5"`
		}
		body := fmt.Sprintf(`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u","desiredAPIVersion":"stable.example.com/%s","objects":[
			{"apiVersion":"stable.example.com/%s","kind":"CronTab","metadata":{"name":"c","namespace":"default","uid":"%d"},"spec":{%s}}]}}`, to, from, i, spec)
		if status := p.review(t, c, body); status != http.StatusOK {
			t.Fatalf("a review was answered with %d", status)
		}
	}
	if status := p.review(t, c, "nonsense"); status != http.StatusBadRequest {
		t.Fatalf("nonsense was answered with %d", status)
	}
}

// history makes reviews and scrapes the gateway, as if each round had taken 30 s. It returns the
// storage, the names of all metrics and the times of the first and the last scrape.
func history(t *testing.T) (storage *teststorage.TestStorage, names map[string]bool, first, last time.Time) {
	t.Helper()
	p := startGateway(t)
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} // its certificate is made at the start
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	storage, names = teststorage.New(t), map[string]bool{}
	first = time.Now().Add(-rounds * interval)
	for round := range rounds {
		p.traffic(t, client, round)
		last = first.Add(time.Duration(round) * interval)
		p.scrape(t, storage, names, last)
	}
	return storage, names, first, last
}

// scrape appends the metrics of the gateway, with the labels of the PodMonitor.
func (p process) scrape(t *testing.T, storage *teststorage.TestStorage, names map[string]bool, at time.Time) {
	t.Helper()
	parser, err := textparse.New(p.metrics(t), "text/plain; version=0.0.4", labels.NewSymbolTable(), textparse.ParserOptions{})
	if err != nil {
		t.Fatal(err)
	}
	app := storage.Appender(t.Context())
	for {
		entry, err := parser.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if entry != textparse.EntrySeries {
			continue
		}
		var series labels.Labels
		_, _, value := parser.Series()
		parser.Labels(&series)
		names[series.Get(labels.MetricName)] = true
		series = labels.NewBuilder(series).Set("namespace", "crosswalk-system").Set("pod", "crosswalk-0").Set("job", "crosswalk").Labels()
		if _, err := app.Append(0, series, at.UnixMilli(), value); err != nil {
			t.Fatal(err)
		}
	}
	if err := app.Commit(); err != nil {
		t.Fatal(err)
	}
}

// metrics returns the text of the gateway's /metrics.
func (p process) metrics(t *testing.T) []byte {
	t.Helper()
	response, err := http.Get("http://" + p.admin + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
