package lifecycle

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	rbac "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// TestControllerLooksAtStoredObjects: with the right to list the objects of an attached definition,
// the controller counts those that do not convert, and an event has their names and the reasons.
// Without the right there is no number.
func TestControllerLooksAtStoredObjects(t *testing.T) {
	p, client := planeOfController(t)
	apply(t, p, namespace, "deploy", "controller", "events.yaml")
	gateway := puppetGateway(t)
	d, ctx := newDefinitions(t, p), deadline(t)
	crd := puppets("v1", "v2")
	_, err := d.ApiextensionsV1().CustomResourceDefinitions().Create(ctx, crd, metav1.CreateOptions{})
	must(t, err)
	admin := puppetClient(t, p.Admin, "v1")
	eventually.Succeeds(t, "v1 is served", func() error { _, err := admin.List(ctx, metav1.ListOptions{}); return err })
	for name, answer := range map[string]string{"good": "", "bad-one": refusedObject, "bad-two": refusedObject} {
		_, err := admin.Create(ctx, puppetObject("v1", name, answer), metav1.CreateOptions{})
		must(t, err)
	}
	crd = d.get(t, crd.Name)
	crd.Annotations = map[string]string{attach.Annotation: "true"}
	_, err = d.ApiextensionsV1().CustomResourceDefinitions().Update(ctx, crd, metav1.UpdateOptions{})
	must(t, err)

	run := func() (metric func() string, stop func()) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		address := listener.Addr().String()
		must(t, listener.Close())
		stop = startController(t, p, append(gateway, "--metrics-listen", address)...)
		return func() string {
			response, err := http.Get("http://" + address + "/metrics")
			if err != nil {
				return err.Error()
			}
			defer response.Body.Close()
			text, err := io.ReadAll(response.Body)
			must(t, err)
			for line := range strings.Lines(string(text)) {
				if strings.HasPrefix(line, "crosswalk_controller_unconvertible_objects{") {
					return strings.TrimSpace(line)
				}
			}
			return fmt.Sprintf("%d bytes without it", len(text))
		}, stop
	}
	metric, stop := run()
	eventually.Succeeds(t, "attaching", func() error {
		got := d.get(t, crd.Name).Annotations[attach.StatusAnnotation]
		return errorf(strings.HasPrefix(got, "Attached"), "the status is %q", got)
	})
	eventually.Succeeds(t, "the metrics", func() error { return errorf(strings.HasSuffix(metric(), "bytes without it"), "%s", metric()) })
	stop()

	allow(t, p, "system:serviceaccount:"+namespace+":crosswalk-controller", rbac.PolicyRule{APIGroups: []string{"puppet.example.com"}, Resources: []string{"puppets"}, Verbs: []string{"list"}})
	metric, stop = run()
	defer stop()
	const want = `crosswalk_controller_unconvertible_objects{definition="puppets.puppet.example.com"} 2`
	eventually.Succeeds(t, "the metric", func() error { return errorf(metric() == want, "%s", metric()) })
	eventually.Succeeds(t, "the event", func() error {
		list, err := client.EventsV1().Events("default").List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, e := range list.Items {
			if e.Reason == "Unconvertible" && e.Regarding.Name == crd.Name && strings.Contains(e.Note, "default/bad-one: to v2: ") &&
				strings.Contains(e.Note, "default/bad-two: ") && strings.Contains(e.Note, "spec.schedule is not five fields") {
				return nil
			}
		}
		return fmt.Errorf("%d events, none of them", len(list.Items))
	})
}
