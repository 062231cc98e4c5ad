package projection

import (
	"os"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// BenchmarkProject cuts the declared fields of the crontab example out of an object of 3.8 KB, and
// splices an answer into it.
func BenchmarkProject(b *testing.B) {
	object, err := os.ReadFile("testdata/crontab.json")
	if err != nil {
		b.Fatal(err)
	}
	fields, err := Parse([]string{"spec.cronSpec", "metadata.annotations['conversion.stable.example.com/partial-schedule']"},
		[]string{"spec.min", "spec.hour", "spec.dayOfMonth", "spec.month", "spec.dayOfWeek"})
	if err != nil {
		b.Fatal(err)
	}
	answer := []byte(`{"apiVersion":"stable.example.com/v2","kind":"CronTab","metadata":{"annotations":{}},"spec":{"min":"30","hour":"2","dayOfMonth":"*","month":"*","dayOfWeek":"1-5"}}`)
	apiVersion := []byte(`"stable.example.com/v2"`)
	var s rawjson.Scanner
	var parts, answered []Part
	var view, out []byte
	var pieces []Piece
	run := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(object)))
			for b.Loop() {
				f()
			}
		})
	}
	run("scan", func() { s.Reset(object, 0); s.End() })
	run("read", func() { parts = fields.Read(parts[:0], object) })
	run("view", func() { view, _ = View(view[:0], object, parts) })
	run("check", func() { s.Reset(answer, 0); answered, _ = fields.Check(&s, answered[:0], answer) })
	run("splice", func() {
		for i := range answered {
			answered[i].used = false
		}
		spliced, _ := fields.Splice(Room{pieces[:0], out[:0]}, object, parts, answer, answered, apiVersion)
		used := spliced.Used()
		pieces, out = used.Pieces, used.Added
	})
}
