package plainyaml

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"strings"
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
