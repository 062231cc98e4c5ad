package adopt

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// loadScheme loads packages below testdata/scheme.
func loadScheme(t *testing.T, names ...string) *program {
	t.Helper()
	for i := range names {
		names[i] = "./testdata/scheme/" + names[i]
	}
	p, err := loadAt(context.Background(), workplace{dir: ".", patterns: names})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestFindFunctions finds conversion-gen's functions by name, and those that are registered in a
// scheme.
func TestFindFunctions(t *testing.T) {
	kinds, notes := loadScheme(t, "v1alpha1", "v1beta1", "v1", "conversion").find()
	if len(kinds) != 1 {
		t.Fatalf("found %d kinds, %q", len(kinds), notes)
	}
	k := kinds[0]
	got := fmt.Sprintf("%s hub %s", k.file(), k.hub.apiVersion)
	for _, v := range k.spokes {
		got += fmt.Sprintf("; %s: %s, %s", v.apiVersion, v.to.Name(), v.from.Name())
	}
	const want = "Disk.scheme.example.com_v1_v1alpha1_v1beta1.wasm hub scheme.example.com/v1" +
		"; scheme.example.com/v1alpha1: DiskUp, Convert_v1_Disk_To_v1alpha1_Disk" +
		"; scheme.example.com/v1beta1: Convert_v1beta1_Disk_To_v1_Disk, Convert_v1_Disk_To_v1beta1_Disk"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	names := k.imports()
	if text := k.functions(names, k.spokes[0]); !strings.Contains(text, "DiskUp(spoke, hub)") || !strings.Contains(text, "Disk(hub, spoke, nil)") {
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
		kinds, notes := loadScheme(t, test.names...).find()
		if len(kinds) > 0 || strings.Join(notes, "\n") != test.want {
			t.Errorf("%s: found %v, %q", test.names, kinds, notes)
		}
	}
}

// TestStub copies klog's functions without their bodies, and nothing that these need.
func TestStub(t *testing.T) {
	p := loadScheme(t, "v1alpha1", "v1", "conversion")
	x, _, err := Options{Opaque: true}.extract(p, only(t, p))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(x.stubs(), " "), "klog.Fatalf klog.FromContext klog.V klog.Verbose.Error klog.Verbose.InfoS"; got != want {
		t.Errorf("the stubs are %s, want %s", got, want)
	}
	files, err := x.files()
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, f := range files {
		if f.pkg == klog {
			text += string(f.text)
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
