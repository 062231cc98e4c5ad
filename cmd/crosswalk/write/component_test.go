package write

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestComponent: the refusal of a component names its imports, whatever sections and sorts lie between.
func TestComponent(t *testing.T) {
	section := func(id byte, content string) string { return string([]byte{id, byte(len(content))}) + content }
	name := func(s string) string { return string([]byte{0, byte(len(s))}) + s }
	instances := section(componentImport, "\x02"+name("wasi:io/poll@0.2.0")+"\x05\x01"+name("wasi:cli/exit@0.2.0")+"\x05\x02")
	others := section(componentImport, "\x04"+name("a")+"\x00\x11\x07"+name("b")+"\x03\x01"+name("c")+"\x03\x00\x81\x01"+name("d")+"\x01\x03")
	for what, test := range map[string]struct{ text, want string }{
		"nothing":               {"", "without imports"},
		"a section of others":   {section(4, preamble+instances), "without imports"},
		"two":                   {section(1, "\x00\x01") + instances, "with imports (wasi:cli/exit@0.2.0, wasi:io/poll@0.2.0)"},
		"the same twice":        {instances + instances, "with imports (wasi:cli/exit@0.2.0, wasi:io/poll@0.2.0)"},
		"six":                   {instances + section(3, strings.Repeat("x", 100)) + others, "with imports (a, b, c, d and 2 more)"},
		"an unknown sort":       {section(componentImport, "\x02"+name("x")+"\x09\x01"+name("y")+"\x01\x01"), "with imports (x)"},
		"a name beyond the end": {section(componentImport, "\x01\x00\x7fabc"), "without imports"},
		"a section without end": {string([]byte{componentImport, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 1}) + name("z") + "\x05\x00", "with imports (z)"},
		"an escape":             {section(componentImport, "\x01"+name("\x1b[31mred")+"\x05\x00"), "with imports ([31mred)"},
	} {
		file := filepath.Join(t.TempDir(), "x.wasm")
		if err := os.WriteFile(file, []byte(preamble+test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := refuseComponent(file); err == nil || !strings.Contains(err.Error(), "is a component "+test.want+"; only") {
			t.Errorf("%s: %v, want %s", what, err, test.want)
		}
	}
	if err := refuseComponent(filepath.Join(t.TempDir(), "none")); err != nil {
		t.Error(err)
	}
}
