package schemas

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/widgets"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// TestGroupsTakeTurns: a group's many files delay another group's file by one file, also if a new
// scan comes with each file that is read.
func TestGroupsTakeTurns(t *testing.T) {
	f := newFollowing(t)
	f.began = time.Now().Add(time.Hour)                                    // however slow the machine is
	files := map[string]string{widgets.File: widgets.Definition("string")} // larger than the others
	for i := range 30 {
		files[fmt.Sprintf("a%d.evil.io.crd.yaml", i)] = "kind: Bad"
	}
	for name, content := range files {
		widgets.Put(t, f.dir, name, content)
	}
	for n := range 2 {
		if f.Find("example.com", "Widget") != nil {
			t.Fatalf("the widget was the first of %d files", n)
		}
		f.Scanned(f.scan())
		if !f.advance(context.Background()) || f.WasRead() {
			t.Fatal("all files were read at once")
		}
	}
	if f.Find("example.com", "Widget") == nil {
		t.Error("the widget is not read after one file of the other group")
	}
	for f.advance(context.Background()) {
		f.Scanned(f.scan())
	}
	if !f.WasRead() {
		t.Error("the start does not end")
	}
}

// TestStartEndsAlthoughFilesChange: the start ends when each file that it found was read once, also
// if new content comes faster than it is read.
func TestStartEndsAlthoughFilesChange(t *testing.T) {
	f := newFollowing(t)
	f.parser.enforce, f.began = true, time.Now().Add(time.Hour)
	scan := func(i int) runtime.Scan {
		var s watch.Snapshot
		for n := range 3 {
			content := fmt.Sprintf("kind: Bad%d", i)
			s.Files = append(s.Files, watch.File{Name: fmt.Sprintf("a%d.evil.io.crd.yaml", n), Content: []byte(content), Size: len(content), Sum: [32]byte{1, byte(i)}})
		}
		return runtime.Scan{Snapshot: s, Checksums: sums.Of(s, nil, false)}
	}
	for i := range 9 {
		f.Scanned(scan(i))
		if !f.advance(context.Background()) {
			t.Fatal("all files were read at once")
		}
		if f.WasRead() {
			return
		}
	}
	t.Error("the start does not end")
}

// TestDefinitionInUseGoesFirst: a change of a definition in use is read before other files of its
// group.
func TestDefinitionInUseGoesFirst(t *testing.T) {
	r := reader{}
	r.replace(map[string]watch.File{"a.g.crd.yaml": {Name: "a.g.crd.yaml", Size: 1}, "used.g.crd.yaml": {Name: "used.g.crd.yaml", Size: 9}, "b.h.crd.yaml": {Name: "b.h.crd.yaml", Size: 10}})
	var order []string
	for f, found := r.next(map[string]bool{"used.g.crd.yaml": true}); found; f, found = r.next(map[string]bool{"used.g.crd.yaml": true}) {
		order = append(order, f.Name)
		r.done(f, 1)
	}
	if want := []string{"used.g.crd.yaml", "b.h.crd.yaml", "a.g.crd.yaml"}; !slices.Equal(order, want) {
		t.Errorf("read %s, want %s", strings.Join(order, " "), strings.Join(want, " "))
	}
}

// TestGroupWaitsForItsDefinition: with enforce, the group of a file that was not read yet is known,
// from the first scan on, and only until the file was read or has content in use.
func TestGroupWaitsForItsDefinition(t *testing.T) {
	f := newFollowing(t)
	f.parser.enforce, f.began = true, time.Now().Add(-time.Hour)
	if f.Known() || f.WasRead() {
		t.Error("the files are known before a scan")
	}
	widgets.Put(t, f.dir, "a.evil.io.crd.yaml", "kind: Bad")
	widgets.Put(t, f.dir, widgets.File, widgets.Definition("string"))
	before := time.Now()
	f.Scanned(f.scan())
	f.advance(context.Background())
	if !f.Known() || !f.WasRead() {
		t.Error("the gateway waits for definitions beyond the budget")
	}
	if file, since := f.Unread("example.com", "Widget"); file != widgets.File || since.Before(before) {
		t.Errorf("unread: %q since %v", file, since)
	}
	if file, _ := f.Unread("evil.io", "Widget"); file != "" {
		t.Errorf("a file that was read: %q", file)
	}
	f.advance(context.Background())
	if file, _ := f.Unread("example.com", "Widget"); file != "" {
		t.Errorf("unread after it was read: %q", file)
	}
	widgets.Put(t, f.dir, widgets.File, widgets.Definition("integer"))
	f.Scanned(f.scan())
	f.mu.Lock()
	scan := *f.scanned
	f.mu.Unlock()
	f.plan(scan)
	if file, _ := f.Unread("example.com", "Widget"); file != "" {
		t.Errorf("the previous content is in use: %q", file)
	}
}
