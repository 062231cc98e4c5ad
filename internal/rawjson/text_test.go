package rawjson_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// TestEveryByte puts each byte at every place of a string: in whole words and in the rest.
func TestEveryByte(t *testing.T) {
	var s rawjson.Scanner
	for c := range 256 {
		for before := range 20 {
			doc := `"` + strings.Repeat("z", before) + string([]byte{byte(c)}) + strings.Repeat("z", 19-before) + `"`
			want := ""
			switch {
			case c < ' ':
				want = fmt.Sprintf(`control character 0x%02x in a string (write it as \u%04x) at byte %d`, c, c, 1+before)
			case c >= 0x80:
				want = fmt.Sprintf("invalid UTF-8 in a string at byte %d", 1+before)
			case c == '\\' && before < 19:
				want = fmt.Sprintf("unknown escape sequence in a string at byte %d", 1+before)
			case c == '\\':
				want = fmt.Sprintf("unexpected end of JSON at byte %d", len(doc))
			case c == '"':
				want = fmt.Sprintf("data after the end of the document at byte %d", 2+before)
			}
			if got := text(check(&s, []byte(doc))); got != want {
				t.Errorf("%q: got %q, want %q", doc, got, want)
			}
		}
	}
}
