package host

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
)

// benchObject is an object of 3.8 KB: labels, annotations, the managed fields of three managers, a
// spec and a status, as the objects of clusters are on average.
func benchObject(i int) string {
	var fields []string
	for n := range 36 {
		fields = append(fields, fmt.Sprintf(`"f:field%d":{".":{},"f:inner":{}}`, n))
	}
	manager := func(name string, n int) string {
		return `{"apiVersion":"stable.example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{` + strings.Join(fields[:n], ",") + `}},"manager":"` + name + `","operation":"Update","time":"2026-03-01T09:30:10Z"}`
	}
	var env []string
	for n := range 14 {
		env = append(env, fmt.Sprintf(`{"name":"VARIABLE_%d","value":"value number %d of object %d"}`, n, n, i))
	}
	return fmt.Sprintf(`{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"annotations":{"example.com/note":"a note of some length, as people write them"},`+
		`"creationTimestamp":"2026-03-01T09:30:10Z","generation":4,"labels":{"app.kubernetes.io/name":"nightly","tier":"backend"},"managedFields":[%s,%s],"name":"cron-%d","namespace":"default",`+
		`"resourceVersion":"183746","uid":"6bdb8b23-4c42-4d4e-8a49-%012d"},"spec":{"cronSpec":"* * * * */5","env":[%s],"image":"registry.example.com/cron:1.2.3","replicas":3},`+
		`"status":{"conditions":[{"lastTransitionTime":"2026-03-01T09:31:00Z","message":"all is well","reason":"Started","status":"True","type":"Ready"}],"replicas":3}}`,
		manager("kubectl-client-side-apply", 36), manager("controller", 12), i, i, strings.Join(env, ","))
}

// BenchmarkReview measures the host alone: its module costs two copies of every object.
func BenchmarkReview(b *testing.B) {
	for _, count := range []int{1, 1000} {
		var objects []string
		for i := range count {
			objects = append(objects, benchObject(i))
		}
		body := []byte(reviewOf("v1", "stable.example.com/v2", objects...))
		for _, guest := range []struct {
			name string
			keep bool // the guest returns the metadata that it saw; else it leaves it out
		}{{"metadata kept", true}, {"metadata left out", false}} {
			m := &funcModule{File: "bench.wasm", One: func(from, _ string, object []byte) ([]byte, string) {
				out := make([]byte, 0, len(object))
				end := bytes.Index(object, []byte(`"metadata"`))
				if !guest.keep {
					end = bytes.Index(object, []byte(`"spec"`))
				}
				return append(append(out, `{"apiVersion":"stable.example.com/v2","kind":"CronTab",`...), object[end:]...), ""
			}}
			c := converter(edges(m, "v1→v2")...)
			b.Run(fmt.Sprintf("%dx3k/%s", count, strings.ReplaceAll(guest.name, " ", "-")), func(b *testing.B) {
				b.SetBytes(int64(len(body)))
				b.ReportAllocs()
				for b.Loop() {
					if _, outcome, err := c.Review(context.Background(), body); err != nil || outcome.Failure != "" {
						b.Fatal(err, outcome)
					}
				}
			})
		}
	}
}
