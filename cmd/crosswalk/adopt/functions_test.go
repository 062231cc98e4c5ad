package adopt

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/extract"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/project"
)

// loadScheme loads packages below testdata/scheme.
func loadScheme(t *testing.T, names ...string) *operator.Program {
	t.Helper()
	for i := range names {
		names[i] = "./testdata/scheme/" + names[i]
	}
	p, err := operator.Load(context.Background(), operator.Workplace{Dir: ".", Patterns: names})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestFindFunctions finds conversion-gen's functions by name, and those that are registered in a
// scheme.
func TestFindFunctions(t *testing.T) {
	kinds, notes := discover.Find(loadScheme(t, "v1alpha1", "v1beta1", "v1", "conversion"))
	if len(kinds) != 1 {
		t.Fatalf("found %d kinds, %q", len(kinds), notes)
	}
	k := kinds[0]
	got := fmt.Sprintf("%s hub %s", k.File(), k.Hub.APIVersion)
	for _, v := range k.Spokes {
		got += fmt.Sprintf("; %s: %s, %s", v.APIVersion, v.To.Name(), v.From.Name())
	}
	const want = "Disk.scheme.example.com_v1_v1alpha1_v1beta1.wasm hub scheme.example.com/v1" +
		"; scheme.example.com/v1alpha1: DiskUp, Convert_v1_Disk_To_v1alpha1_Disk" +
		"; scheme.example.com/v1beta1: Convert_v1beta1_Disk_To_v1_Disk, Convert_v1_Disk_To_v1beta1_Disk"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	names := project.Imports(k)
	if text := project.Functions(k, names, k.Spokes[0]); !strings.Contains(text, "DiskUp(spoke, hub)") || !strings.Contains(text, "Disk(hub, spoke, nil)") {
		t.Errorf("the functions are called as in %s", text)
	}
}

func TestFindFunctionsNotes(t *testing.T) {
	for _, test := range []struct {
		names []string
		want  string
	}{
		{[]string{"v1beta1", "conversion"}, ""},
		{[]string{"v1", "internalversion", "conversion"},
			"Disk of scheme.example.com/v1 is left out: Convert_v1_Disk_To_internalversion_Disk converts it to a type of github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/testdata/scheme/internalversion, which belongs to no version"},
	} {
		kinds, notes := discover.Find(loadScheme(t, test.names...))
		if len(kinds) > 0 || strings.Join(notes, "\n") != test.want {
			t.Errorf("%s: found %v, %q", test.names, kinds, notes)
		}
	}
}

// TestStub copies klog's functions without their bodies, and nothing that these need.
func TestStub(t *testing.T) {
	p := loadScheme(t, "v1alpha1", "v1", "conversion")
	x, _, err := extract.Kind(p, only(t, p))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(x.Stubs(), " "), "klog.Fatalf klog.FromContext klog.V klog.Verbose.Error klog.Verbose.InfoS"; got != want {
		t.Errorf("the stubs are %s, want %s", got, want)
	}
	files, err := x.Files()
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, f := range files {
		if f.Pkg == extract.Klog {
			text += string(f.Text)
		}
	}
	for _, part := range []string{
		"func V(level Level) Verbose { return *new(Verbose) }",
		"func (v Verbose) InfoS(msg string, keysAndValues ...interface{}) {}",
		`func Fatalf(format string, args ...interface{}) { panic("the conversion ends the program with klog.Fatalf") }`,
		"func FromContext(ctx context.Context) Logger { return *new(Logger) }",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("%s is not in the copy of klog:\n%s", part, text)
		}
	}
	if len(text) > 4<<10 {
		t.Errorf("the copy of klog has %d bytes: %s", len(text), text)
	}
}
