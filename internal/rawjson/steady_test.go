package rawjson_test

import (
	"cmp"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// TestNoAllocations: once it has seen the documents, a Scanner allocates nothing for them.
func TestNoAllocations(t *testing.T) {
	var s rawjson.Scanner
	all := documents(t)
	var keys strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&keys, `"key\t%d":"\u0061",`, i)
	}
	all = append(all, document{"escapes", []byte(`{` + keys.String() + `"a":"\n"}`)})
	all = append(all, document{"many escapes", []byte("[" + strings.Repeat(`{"\u006da key of which there are many":{}},`, 20_000) + "{}]")})
	all = append(all, document{"deep", []byte(strings.Repeat("[", 1000) + strings.Repeat("]", 1000))})
	for _, d := range all {
		for name, pass := range map[string]func(*rawjson.Scanner, []byte) error{"Skip": check, "pull": pull} {
			allocs := testing.AllocsPerRun(10, func() {
				if err := pass(&s, d.doc); err != nil {
					t.Fatal(err)
				}
			})
			if allocs != 0 {
				t.Errorf("%s by %s: %v allocations", d.name, name, allocs)
			}
		}
	}
}

// TestErrorsKeepNothing: state of rejected documents does not accumulate.
func TestErrorsKeepNothing(t *testing.T) {
	var keys strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&keys, `"key\t%d":0,`, i)
	}
	doc := []byte(`[[{"a":{` + keys.String())
	var s rawjson.Scanner
	_ = check(&s, doc)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 1000 {
		if check(&s, doc) == nil {
			t.Fatal("accepted")
		}
	}
	runtime.ReadMemStats(&after)
	// Each has 24 KB of references to keys, 8 KB of their text and 8 KB of table; an error takes
	// less than 100 bytes.
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 4<<20 {
		t.Errorf("1000 refused documents took %d bytes", grown)
	}
}

// TestManyKeys: the cost of a key does not depend on their number. Compared two by two, 500,000
// keys would take minutes; the bound is far from both that and the actual time (a tenth of a
// second).
func TestManyKeys(t *testing.T) {
	const n = 500_000
	values := map[string]string{"objects in it": `{"a":0}`}
	for name, key := range map[string]func(i int) string{
		"objects in it": func(i int) string { return fmt.Sprintf("k%d", i) },
		"counted":       func(i int) string { return fmt.Sprintf("k%d", i) },
		"same ends":     func(i int) string { return fmt.Sprintf("aaaaaaaa%07dzzzzzzzz", i) },
		"zeros":         func(i int) string { return fmt.Sprintf("%020b", i) },
		"with escapes":  func(i int) string { return fmt.Sprintf(`\n%d`, i) },
		"mostly escape": func(i int) string { return fmt.Sprintf(`\u%04x\u%04x`, i%0x7000, i/0x7000) },
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			value := cmp.Or(values[name], "0")
			for i := range n {
				fmt.Fprintf(&b, `"%s":%s,`, key(i), value)
			}
			start := time.Now()
			var s rawjson.Scanner
			if err := check(&s, []byte("{"+b.String()+`"":0}`)); err != nil {
				t.Fatal(err)
			}
			err := check(&s, []byte("{"+b.String()+`"`+key(n/2)+`":0}`))
			if err == nil || !strings.HasPrefix(err.Error(), "duplicate key ") {
				t.Errorf("got %v", err)
			}
			if took := time.Since(start); took > time.Minute {
				t.Errorf("took %v", took)
			}
		})
	}
}

// TestNestedLargeObjects: tables of nested objects do not affect each other.
func TestNestedLargeObjects(t *testing.T) {
	build := func(depth, duplicateAt int) []byte {
		var object func(level int) string
		object = func(level int) string {
			if level == depth {
				return "0"
			}
			var b strings.Builder
			b.WriteString("{")
			for i := range 100 {
				value := "0"
				if i == 50 {
					value = object(level + 1)
				}
				fmt.Fprintf(&b, `"k%d":%s,`, i, value)
			}
			last := "last"
			if level == duplicateAt {
				last = "k49"
			}
			fmt.Fprintf(&b, `"%s":0}`, last)
			return b.String()
		}
		return []byte(object(0))
	}
	var s rawjson.Scanner
	if err := check(&s, build(20, -1)); err != nil {
		t.Error(err)
	}
	for level := range 20 {
		if err := check(&s, build(20, level)); err == nil || !strings.HasPrefix(err.Error(), `duplicate key "k49"`) {
			t.Errorf("level %d: got %v", level, err)
		}
	}
}
