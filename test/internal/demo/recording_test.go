package demo

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// TestRecording draws more lines than the screen has, one of them longer than it, with characters
// that XML would not take.
func TestRecording(t *testing.T) {
	var r Recording
	fmt.Fprintf(&r, "A title\n\n")
	fmt.Fprintf(&r, "1. %s<&>%s\n", strings.Repeat("word ", 20), strings.Repeat("x", 150))
	for i := range 3 {
		fmt.Fprint(&r, strings.Repeat(fmt.Sprintf("     line of part %d\n", i), 20))
	}
	picture := string(r.SVG())
	var texts []string
	for decoder := xml.NewDecoder(strings.NewReader(picture)); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v:\n%s", err, picture)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "text" {
			var text string
			if err := decoder.DecodeElement(&text, &start); err != nil {
				t.Fatal(err)
			}
			texts = append(texts, text)
			if len(text) > columns {
				t.Errorf("a line of %d characters: %s", len(text), text)
			}
		}
	}
	said := strings.ReplaceAll(strings.Join(texts, ""), " ", "")
	for _, want := range []string{"Atitle", "<&>" + strings.Repeat("x", 150), "lineofpart2"} {
		if !strings.Contains(said, want) {
			t.Errorf("the picture lacks %s", want)
		}
	}
	lines := 0
	for _, part := range r.parts {
		lines += len(part)
	}
	if end := fmt.Sprintf(".roll{transform:translateY(%dpx)", -18*(lines-rows)); !strings.Contains(picture, end) {
		t.Errorf("the end of %d lines is not shown; want %s", lines, end)
	}
}
