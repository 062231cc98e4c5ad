package bytesize

import "testing"

func TestParseAndFormat(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "1000": "1000", "1024": "1Ki", "1536": "1536", "64Mi": "64Mi", "1024Mi": "1Gi", "+1Ki": "1Ki",
		"8589934591Gi": "8589934591Gi",
		"8589934592Gi": "", "9223372036854775808": "", "64MiB": "", "64M": "", "-1": "", "1.5Gi": "", "Mi": "", "": "", " 1": "", "1 Ki": "",
	} {
		bytes, ok := Parse(text)
		if ok != (want != "") || ok && Format(bytes) != want {
			t.Errorf("Parse(%q) = %d, %v; want %q", text, bytes, ok, want)
		}
	}
}
