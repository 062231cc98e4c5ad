package e2e

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
	"github.com/crosswalk-gateway/crosswalk/test/internal/balancer"
	"github.com/crosswalk-gateway/crosswalk/test/internal/judge"
	"github.com/crosswalk-gateway/crosswalk/test/internal/review"
	"github.com/crosswalk-gateway/crosswalk/test/internal/volume"
)

// puppetJudge returns the API server's client code asking a gateway for Puppets.
func puppetJudge(t *testing.T, cfg judge.Config) *judge.Judge {
	t.Helper()
	cfg.Group, cfg.Kind, cfg.Versions, cfg.CA = puppetGroup, "Puppet", []string{"v1", "v2"}, shared.authority.PEM
	j, err := judge.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// puppetReview is a review of one Puppet that the module echoes.
func puppetReview(t *testing.T) *review.Review {
	t.Helper()
	text, err := puppet("v1", "a", "").MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return review.New("v1", puppetGroup+"/v2", string(text))
}

// TestOverloadIsRetried (H8): a gateway that has too much to do says 429 with Retry-After, and the
// API server comes back until it has its answer. Nobody's request fails.
func TestOverloadIsRetried(t *testing.T) {
	t.Setenv("GOMAXPROCS", "1") // of the gateway: it converts four reviews at a time, with one instance
	p := readyGateway(t, modules(t, map[string][]byte{puppetFile: guest(t, "puppet")}),
		"--fuel-per-object", "100000000000", "--call-timeout", "20s")
	j := puppetJudge(t, judge.Config{Address: p.Reviews})
	// The last clients wait for more than a second, are rejected, and repeat the review ten times, a
	// second apart. A fast machine needs more work for that.
	const clients = 10
	for turns := 4_500_000; ; turns *= 4 {
		var running sync.WaitGroup
		for n := range clients {
			running.Go(func() {
				if _, err := j.Convert(puppet("v1", fmt.Sprintf("slow-%d", n), fmt.Sprintf("b%d", turns)), "v2"); err != nil { // 22 times as many turns of a loop
					t.Errorf("client %d: %v", n, err)
				}
			})
		}
		running.Wait()
		if refused := metric(t, p, "crosswalk_requests_rejected_total", `code="429"`); refused > 0 || t.Failed() {
			return
		}
		if turns > 300_000_000 {
			t.Fatal("nothing was refused: there was no overload, and this test says nothing")
		}
	}
}

// TestStartIsRetried (H9): a gateway that does not have the modules yet that it needs says 503 with
// Retry-After, and the API server comes back.
func TestStartIsRetried(t *testing.T) {
	dir := t.TempDir()
	p := startGateway(t, dir, "--require", strings.TrimSuffix(puppetFile, ".wasm"))
	client, err := p.Client()
	if err != nil {
		t.Fatal(err)
	}
	_, err = puppetReview(t).Send(client, p.URL())
	var status *review.StatusError
	if !errors.As(err, &status) || status.Code != 503 || status.RetryAfter != "1" || !strings.HasPrefix(status.Body, "starting: ") {
		t.Errorf("a review before the modules are loaded is answered with %v", err)
	}
	j, answered := puppetJudge(t, judge.Config{Address: p.Reviews}), make(chan error, 1)
	go func() { // ends with the answer
		_, err := j.Convert(puppet("v1", "a", ""), "v2")
		answered <- err
	}()
	eventually.True(t, "the API server's client to be rejected", func() bool { return metric(t, p, "crosswalk_requests_rejected_total", `code="503"`) >= 2 })
	if err := volume.Move(dir, puppetFile, guest(t, "puppet")); err != nil {
		t.Fatal(err)
	}
	if err := <-answered; err != nil {
		t.Errorf("the API server's client did not come back: %v", err)
	}
}

// TestRollingReplacement (H12): gateways are replaced one after the other, as a Deployment does it,
// while API servers read: one that asks the endpoint of a Service for each request, one whose
// connections stay where they are, and a whole one. No request fails.
func TestRollingReplacement(t *testing.T) {
	replacements := 4
	if os.Getenv("CROSSWALK_LONG") != "" {
		replacements = 40
	}
	dir := modules(t, map[string][]byte{puppetFile: guest(t, "puppet")})
	now := readyGateway(t, dir, drainFlags...)
	front, err := balancer.New(now.Reviews)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(front.Close)
	url := "https://" + front.Addr() + "/convert"
	crd := openCRD(puppetGroup, "Puppet", "v1", "v2")
	install(t, shared.uncached, crd, url, shared.authority.PEM)
	create(t, shared.uncached.Resource(crd, "v1"), puppet("v1", "a", ""))
	v2 := shared.uncached.Resource(crd, "v2")
	byRequest := puppetJudge(t, judge.Config{Address: now.Reviews})
	byConnection := puppetJudge(t, judge.Config{URL: url})

	converting := func(j *judge.Judge) func(context.Context) error {
		return func(context.Context) error {
			_, err := j.Convert(puppet("v1", "a", ""), "v2")
			time.Sleep(time.Millisecond) // two busy clients would leave nothing of the machine for the rest
			return err
		}
	}
	reading := func(ctx context.Context) error {
		_, err := v2.Get(ctx, "a", metav1.GetOptions{})
		return err
	}
	clients := startLoad(t.Context(), converting(byRequest), converting(byRequest), converting(byConnection), converting(byConnection), reading, reading)
	for range replacements {
		next := readyGateway(t, dir, drainFlags...)
		if err := now.Terminate(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(propagation)
		front.Switch(next.Reviews)
		byRequest.Switch(next.Reviews)
		if err := now.Stop(); err != nil {
			t.Errorf("the gateway did not end well: %v\n%s", err, now.Log())
		}
		now = next
	}
	clients.end(t, int64(100*replacements))
}

// propagation is how long endpoints go on being used after a Pod was told to end, and drainFlags
// make a gateway wait for longer, on a machine that stops one of them for a while, too.
const propagation = 300 * time.Millisecond

var drainFlags = []string{"--drain-delay", "2500ms"}

// TestRestart: while there is no gateway reads at other versions fail, reads at the stored version
// do not, and all is well again as soon as there is one.
func TestRestart(t *testing.T) {
	dir := modules(t, map[string][]byte{puppetFile: guest(t, "puppet")})
	first := readyGateway(t, dir)
	crd := openCRD(puppetGroup, "Puppet", "v1", "v2")
	install(t, shared.server, crd, first.URL(), first.CA)
	v1, v2 := shared.server.Resource(crd, "v1"), shared.server.Resource(crd, "v2")
	create(t, v1, puppet("v1", "a", ""))
	get(t, v2, "a")

	first.Kill() // as the kernel does when memory runs out
	get(t, v1, "a")
	if _, err := v2.Get(deadline(t), "a", metav1.GetOptions{}); err == nil {
		t.Error("v2 can be read without a gateway")
	}
	eventually.Succeeds(t, "the port, which a connection may have meanwhile", func() error {
		free, err := net.Listen("tcp", first.Reviews)
		if err == nil {
			err = free.Close()
		}
		return err
	})
	second := startGateway(t, dir, "--listen", first.Reviews)
	ready(t, second)
	get(t, v2, "a")
	create(t, v2, puppet("v2", "b", ""))
	list, err := v2.List(deadline(t), metav1.ListOptions{})
	if err != nil || len(list.Items) != 2 {
		t.Errorf("%d objects at v2, %v", len(list.Items), err)
	}
}

// TestLateConversionIsAnswered (H14): a conversion that does not end is answered before the API
// server gives up, in words.
func TestLateConversionIsAnswered(t *testing.T) {
	p := readyGateway(t, modules(t, map[string][]byte{puppetFile: guest(t, "puppet")}),
		"--fuel-per-object", "1000000000000000", "--call-timeout", "60s", "--review-timeout", "2s")
	began := time.Now()
	_, err := puppetJudge(t, judge.Config{Address: p.Reviews}).Convert(puppet("v1", "a", "s"), "v2")
	clean(t, err, "v1", "cannot convert object 0 (default/a) of Puppet.puppet.example.com from v1 to v2: module "+
		signed(puppetFile, guest(t, "puppet"))+" failed: ")
	if took := time.Since(began); took > 25*time.Second { // an API server gives up after 30
		t.Errorf("it took %v", took)
	}
	if !p.Alive() {
		t.Error("the gateway died")
	}
}

// TestReviewVersions (H15): reviews of both versions are answered in theirs, and any other is
// refused.
func TestReviewVersions(t *testing.T) {
	p := readyGateway(t, modules(t, map[string][]byte{puppetFile: guest(t, "puppet")}))
	client, err := p.Client()
	if err != nil {
		t.Fatal(err)
	}
	for version, want := range map[string]string{"v1": "", "v1beta1": "", "v2": "v1 and v1beta1", "": "v1 and v1beta1"} {
		r := puppetReview(t)
		r.APIVersion = strings.TrimSuffix("apiextensions.k8s.io/"+version, "/")
		answer, err := r.Send(client, p.URL())
		var status *review.StatusError
		switch {
		case want != "":
			if !errors.As(err, &status) || status.Code != 400 {
				t.Errorf("version %q is answered with %v", version, err)
			} else if !strings.Contains(status.Body, "v1") || !strings.Contains(status.Body, "v1beta1") {
				t.Errorf("version %q: the answer does not name the versions there are: %s", version, status.Body)
			}
		case err != nil:
			t.Errorf("version %q: %v", version, err)
		case answer.Result.Status != "Success" || len(answer.ConvertedObjects) != 1:
			t.Errorf("version %q: %+v", version, answer)
		}
	}
}

// TestOnlyABadModule (W10): a gateway that has nothing but a module that cannot be loaded puts
// reviews off for a while, for somebody may be about to correct it, then describes the error; and
// works as soon as the module is corrected.
func TestOnlyABadModule(t *testing.T) {
	dir := modules(t, map[string][]byte{puppetFile: []byte("not a module")})
	p := startGateway(t, dir)
	j := puppetJudge(t, judge.Config{Address: p.Reviews})
	const want = "no module converts Puppet.puppet.example.com from v1 to v2"
	_, err := j.Convert(puppet("v1", "a", ""), "v2")
	for ctx := deadline(t); ctx.Err() == nil && (err == nil || !strings.Contains(err.Error(), want)); { // the client gives up before the gateway does
		_, err = j.Convert(puppet("v1", "a", ""), "v2")
	}
	clean(t, err, "v1", "no module converts Puppet.puppet.example.com from v1 to v2")
	if refused := metric(t, p, "crosswalk_requests_rejected_total", `code="503"`); refused == 0 {
		t.Error("the review was not rejected")
	}
	if err := volume.Move(dir, puppetFile, guest(t, "puppet")); err != nil {
		t.Fatal(err)
	}
	waitServing(t, p, puppetFile, guest(t, "puppet"))
	if _, err := j.Convert(puppet("v1", "a", ""), "v2"); err != nil {
		t.Error(err)
	}
	ready(t, p)
}
