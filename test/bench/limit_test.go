package bench

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// limit does the part of a review that no gateway with a sandbox can avoid, on the bytes of a real
// review: one strict pass of the gateway's scanner over the request's JSON, one over the module's
// output, and the copies of an object: into a module, once inside, out of it and into the answer.
// It excludes conversion, envelope, metadata and contract.
type limit struct {
	scan    rawjson.Scanner
	objects [][]byte // as they are in the body
	made    [][]byte // the output of a module for each: everything but managedFields and resourceVersion
	guest   [2][]byte
	out     []byte
	answer  []byte
}

func newLimit(tb testing.TB, body []byte) *limit {
	tb.Helper()
	var review struct {
		Request struct{ Objects []json.RawMessage }
	}
	if err := json.Unmarshal(body, &review); err != nil {
		tb.Fatal(err)
	}
	l := &limit{}
	most := 0
	for _, o := range review.Request.Objects {
		var fields map[string]json.RawMessage
		var metadata map[string]json.RawMessage
		if err := errors.Join(json.Unmarshal(o, &fields), json.Unmarshal(fields["metadata"], &metadata)); err != nil {
			tb.Fatal(err)
		}
		delete(metadata, "managedFields")
		delete(metadata, "resourceVersion")
		fields["metadata"], _ = json.Marshal(metadata)
		made, err := json.Marshal(fields)
		if err != nil {
			tb.Fatal(err)
		}
		l.objects, l.made = append(l.objects, o), append(l.made, made)
		most = max(most, len(o))
	}
	l.guest[0], l.guest[1], l.out = make([]byte, most), make([]byte, most), make([]byte, most)
	l.answer = make([]byte, 0, len(body))
	return l
}

// look passes over a document once.
func (l *limit) look(document []byte) error {
	l.scan.Reset(document, 0)
	l.scan.Skip()
	return l.scan.Err()
}

func (l *limit) review(body []byte) ([]byte, error) {
	if err := l.look(body); err != nil {
		return nil, err
	}
	l.answer = l.answer[:0]
	for i, o := range l.objects {
		n := copy(l.guest[0], l.made[i])
		copy(l.guest[1], l.guest[0][:n])
		copy(l.out, l.guest[1][:n])
		if err := l.look(l.out[:n]); err != nil {
			return nil, err
		}
		l.answer = append(l.answer, o...)
	}
	return l.answer, nil
}

// BenchmarkLimit compares the gateway with that limit, in turns: limit-µs/object and cpu-µs/object,
// and share, the one of the other.
func BenchmarkLimit(b *testing.B) {
	w := workload{usual, 1000}
	body, err := w.review()
	if err != nil {
		b.Fatal(err)
	}
	all := []system{{"limit", newLimit(b, body).review}}
	dir, names := languages(b)
	for _, language := range names {
		all = append(all, ofModule(b, dir, language), ofGateway(b, dir, language, true, nil))
	}
	results := alternate(b, all, body)
	for _, r := range results[1:] {
		b.Run(w.String()+"/system="+r.system, func(b *testing.B) {
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(results[0].cpu)/1e3/float64(w.batch), "limit-µs/object")
			b.ReportMetric(float64(r.cpu)/1e3/float64(w.batch), "cpu-µs/object")
			b.ReportMetric(r.ratio, "share")
		})
	}
}
