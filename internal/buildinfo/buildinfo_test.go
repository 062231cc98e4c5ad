package buildinfo

import (
	"runtime/debug"
	"testing"
)

func TestReadTakesVersionAndRevision(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.99", Main: debug.Module{Version: "v0.1.0"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123"}, {Key: "vcs.modified", Value: "true"}}}
	b := Build{Version: "unknown", Revision: "unknown"}
	b.read(info)
	if got, want := b.String(), "v0.1.0, revision 0123-modified, go1.99"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	b = Build{Version: "unknown", Revision: "unknown"}
	b.read(&debug.BuildInfo{GoVersion: "go1.99"})
	if got, want := b.String(), "unknown, revision unknown, go1.99"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	version, revision = "v9.9.9", "abcd"
	t.Cleanup(func() { version, revision = "", "" })
	if b := Read(); b.Version != "v9.9.9" || b.Revision != "abcd" {
		t.Errorf("the linker's values are lost: %v", b)
	}
}
