package bench

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"
)

// limit does of a review only what no gateway with a sandbox can leave out, on the bytes of a real one: it looks at every byte that comes in
// and at every byte that a module made, validating the text and finding its quotes by the standard library's vector instructions,
// and copies an object into a module, once within, out of it and into the answer. So it has no conversion in it and no JSON.
type limit struct {
	objects [][]byte // as they are in the body
	shown   []int    // how many bytes of each a module is shown: all but managedFields and resourceVersion
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
		var fields struct {
			Metadata map[string]json.RawMessage
		}
		if err := json.Unmarshal(o, &fields); err != nil {
			tb.Fatal(err)
		}
		l.objects = append(l.objects, o)
		l.shown = append(l.shown, len(o)-len(fields.Metadata["managedFields"])-len(fields.Metadata["resourceVersion"]))
		most = max(most, len(o))
	}
	l.guest[0], l.guest[1], l.out = make([]byte, most), make([]byte, most), make([]byte, most)
	l.answer = make([]byte, 0, len(body))
	return l
}

// look passes over text once. It returns the number of quotes.
func look(text []byte) int {
	if !utf8.Valid(text) {
		return -1
	}
	return bytes.Count(text, []byte{'"'})
}

func (l *limit) review(body []byte) ([]byte, error) {
	quotes := look(body)
	l.answer = l.answer[:0]
	for i, o := range l.objects {
		n := copy(l.guest[0], o[:l.shown[i]])
		copy(l.guest[1], l.guest[0][:n])
		copy(l.out, l.guest[1][:n])
		quotes += look(l.out[:n])
		l.answer = append(l.answer, o...)
	}
	if quotes < 0 {
		panic("no UTF-8") // never; the compiler cannot leave the work out for it
	}
	return l.answer, nil
}

// BenchmarkLimit compares the gateway with that limit, in turns: limit-µs/object and cpu-µs/object, and share, the one of the other.
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
