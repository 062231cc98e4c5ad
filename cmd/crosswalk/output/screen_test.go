package output

import (
	"bytes"
	"testing"
)

// TestScreen asserts that text of others does not control the terminal, however it is split into
// writes.
func TestScreen(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"text of many scripts", "naïve 日本語 😀\n\tb", "naïve 日本語 😀\n\tb"},
		{"the tool's colours", string(Red) + "failed" + endColour, string(Red) + "failed" + endColour},
		{"other colours", "\x1b[8mhidden", `\u001b[8mhidden`},
		{"the title of the window", "\x1b]0;title\a", `\u001b]0;title\u0007`},
		{"a control sequence in one character", "\u009b2J", `\u009b2J`},
		{"a control sequence in one byte", "\x9b2J", `\x9b2J`},
		{"the direction of text", "a\u202eb", `a\u202eb`},
		{"tags", "a\U000E0041b", `a\U000e0041b`},
		{"erasing the line from within", "error: x" + EraseLine + "ok", `error: x\u000d\u001b[Kok`},
		{"lines of Windows", "a\r\nb", "a\r\nb"},
		{"line separators", "a\u2028b", `a\u2028b`},
		{"NUL", "a\x00b", `a\u0000b`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, size := range []int{1, 2, 3, 5, 1000} {
				var b bytes.Buffer
				w := Screen(&b)
				for in := []byte(tc.in); len(in) > 0; {
					n := min(size, len(in))
					if written, err := w.Write(in[:n]); err != nil || written != n {
						t.Fatal(written, err)
					}
					in = in[n:]
				}
				if got := b.String(); got != tc.want {
					t.Errorf("in writes of %d bytes: %q, want %q", size, got, tc.want)
				}
			}
		})
	}
	var b bytes.Buffer
	if _, err := Screen(&b).Write([]byte(EraseLine + "5 objects")); err != nil || b.String() != EraseLine+"5 objects" {
		t.Errorf("progress: %q, %v", b.String(), err)
	}
}
