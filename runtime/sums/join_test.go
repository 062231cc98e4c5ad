package sums

import (
	"testing"

	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// TestJoin: the list of an owner decides about that owner's files, whatever the lists of others say.
func TestJoin(t *testing.T) {
	listed, missing := file("K.g_v1_v2.wasm", "module"), file("L.g_v1_v2.wasm", "")
	all := Join(map[string]*Check{
		"strict": Of(watch.Snapshot{Files: []watch.File{file(ListFile, line(listed)+line(missing)), listed}}, nil, false),
		"other":  Of(watch.Snapshot{Files: []watch.File{file(ListFile, line(file(listed.Name, "other module")))}}, nil, false),
		"open":   Of(watch.Snapshot{}, nil, false),
	})
	of := func(owner, name, content string) watch.File { return file(owner+"/"+name, content) }
	for _, test := range []struct {
		file watch.File
		want string // error; empty: it may be used
	}{
		{of("strict", listed.Name, "module"), ""},
		{of("strict", listed.Name, "edited"), "SHA256SUMS has sha256 " + short(listed.Sum) + " for K.g_v1_v2.wasm, which has " + short(file("", "edited").Sum) + ": they are of different releases, or one was tampered with"},
		{of("strict", "M.g_v1_v2.wasm", ""), "SHA256SUMS does not list M.g_v1_v2.wasm: add it there if it is meant to be used"},
		{of("other", listed.Name, "other module"), ""},
		{of("other", listed.Name, "module"), "SHA256SUMS has sha256 " + short(file("", "other module").Sum) + " for K.g_v1_v2.wasm, which has " + short(listed.Sum) + ": they are of different releases, or one was tampered with"},
		{of("open", listed.Name, "edited"), ""},
	} {
		if err := all.File(test.file); (err == nil) != (test.want == "") || err != nil && err.Error() != test.want {
			t.Errorf("%s, %s: %v, want %q", test.file.Name, test.file.Content, err, test.want)
		}
	}
	for name, want := range map[string]bool{"strict/" + missing.Name: true, "other/" + missing.Name: false, "open/" + missing.Name: false} {
		if err := all.Missing(name); (err != nil) != want {
			t.Errorf("%s is missing: %v", name, err)
		}
	}
}
