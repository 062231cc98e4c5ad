package module

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// BenchmarkConvert converts CronTabs of about a kilobyte with every example converter that has been
// built (make plugins), one and many at a time. It measures the whole package: frames, the guest,
// metering, copying out, the reset.
func BenchmarkConvert(b *testing.B) {
	const file = "CronTab.stable.example.com_v1_v2.wasm"
	built, _ := filepath.Glob("../../bin/plugins/*/" + file)
	if len(built) == 0 {
		b.Skip("no converters: run make plugins")
	}
	object := fmt.Appendf(nil, `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"nightly","namespace":"default","uid":"9f1c","annotations":{"example.com/note":%q}},"spec":{"cronSpec":"30 2 * * 1-5","image":"registry.example.com/backup:1.4"},"status":{"history":%q}}`,
		strings.Repeat("n", 300), strings.Repeat("h", 400))
	name, err := artifact.ParseName(file)
	if err != nil {
		b.Fatal(err)
	}
	l := testLoader(b, Limits{})
	for _, path := range built {
		content, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		m, err := l.load(context.Background(), name, watch.File{Name: file, Content: content})
		if err != nil {
			b.Fatal(err)
		}
		for _, n := range []int{1, 100} {
			objects := make([][]byte, n)
			for i := range objects {
				objects[i] = object
			}
			b.Run(fmt.Sprintf("%s/%d", filepath.Base(filepath.Dir(path)), n), func(b *testing.B) {
				b.SetBytes(int64(n * len(object)))
				for b.Loop() {
					if _, refused, err := m.Convert(context.Background(), "stable.example.com/v1", "stable.example.com/v2", objects); err != nil || refused != nil {
						b.Fatal(refused, err)
					}
				}
			})
		}
		m.Close()
	}
}
