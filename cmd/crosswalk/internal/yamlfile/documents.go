// Package yamlfile divides files of several YAML documents, finds the lines of their errors, and looks members up. It parses
// none.
package yamlfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf16"
)

// Document is a part of a file: from a line that begins with --- to the next such line.
type Document struct {
	Text []byte
	At   int // its offset in the file
	Line int // the number of its first line
}

// Documents returns the documents of a file, those without a value, too. A line that begins with ---
// begins a document wherever it stands, as in YAML also within a text.
func Documents(file []byte) []Document { return slices.Collect(Each(file)) }

// Each yields the documents of a file one after another: a file of separators has millions.
func Each(file []byte) iter.Seq[Document] {
	return func(yield func(Document) bool) {
		d, n, at := Document{Line: 1}, 0, 0
		for line := range bytes.Lines(file) {
			if n++; n > 1 && isMarker(line) {
				if !yield(d) {
					return
				}
				d = Document{At: at, Line: n}
			}
			at += len(line)
			d.Text = file[d.At:at]
		}
		yield(d)
	}
}

func isMarker(line []byte) bool {
	rest, found := bytes.CutPrefix(line, []byte("---"))
	return found && (len(rest) == 0 || len(bytes.TrimLeft(rest, " \t\r\n")) < len(rest))
}

// Locate returns the line of a file, and the rest of the message, of an error about a document that
// begins at a line.
func Locate(err error, first int) (line int, message string) {
	message = err.Error()
	if n, scanErr := fmt.Sscanf(message, "line %d:", &line); n != 1 || scanErr != nil {
		return first, message
	}
	_, message, _ = strings.Cut(message, ": ")
	return first + line - 1, message
}

// InUTF8 returns a text in UTF-8, also that of a file in UTF-16 with its mark, as Windows PowerShell writes
// the output of commands. The parser decodes that, too, but some callers find lines and documents first.
func InUTF8(text []byte) (result []byte, changed bool) {
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case bytes.HasPrefix(text, []byte{0xff, 0xfe}):
	case bytes.HasPrefix(text, []byte{0xfe, 0xff}):
		order = binary.BigEndian
	default:
		return text, false
	}
	units := make([]uint16, 0, len(text)/2)
	for i := 2; i+1 < len(text); i += 2 {
		units = append(units, order.Uint16(text[i:]))
	}
	return []byte(string(utf16.Decode(units))), true
}
