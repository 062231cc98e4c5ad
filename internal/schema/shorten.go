package schema

import "unicode/utf8"

const (
	// maxName is how many bytes of a name in a path or a message are printed, and maxRule how many of a pattern or an enum: enough to
	// recognise it, and short enough for a line of a log and for what kubectl prints.
	maxName = 128
	maxRule = 256
)

// shorten returns the text, or so much of it as fits the limit without cutting a character, and an ellipsis.
func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit] + "…"
}
