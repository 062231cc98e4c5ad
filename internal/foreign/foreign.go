// Package foreign makes text that others wrote (clients, modules, authors of files, libraries) fit
// for messages, logs and metrics. Every function bounds its result by a number of bytes and never
// splits a character.
package foreign

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ellipsis marks a text that was cut. It comes on top of a limit, except in [Fit].
const ellipsis = "…"

// Cut returns text, or its beginning if it has more than limit bytes.
func Cut[T ~string | ~[]byte](text T, limit int) string {
	if len(text) <= limit {
		return string(text)
	}
	limit = max(limit, 0)
	for end := limit; end > 0 && end > limit-utf8.UTFMax; end-- {
		if utf8.RuneStart(text[end]) {
			return string(text[:end])
		}
	}
	return string(text[:limit]) // not UTF-8
}

// Shorten is [Cut] that marks a cut with an ellipsis.
func Shorten[T ~string | ~[]byte](text T, limit int) string {
	if len(text) <= limit {
		return string(text)
	}
	return Cut(text, limit) + ellipsis
}

// Fit is [Shorten] with room for the ellipsis within the limit.
func Fit[T ~string | ~[]byte](text T, limit int) string {
	if len(text) <= limit {
		return string(text)
	}
	return Cut(text, limit-len(ellipsis)) + ellipsis
}

// Quote returns text in Go's quotes, which escape everything unprintable. The ellipsis of a longer
// text follows the closing quote, so that nobody takes it for a part of the text.
func Quote[T ~string | ~[]byte](text T, limit int) string {
	if len(text) <= limit {
		return strconv.Quote(string(text))
	}
	return strconv.Quote(Cut(text, limit)) + ellipsis
}

// Name returns a name as it is if it is short and cannot be mistaken for the words around it, else
// in quotes.
func Name[T ~string | ~[]byte](name T, limit int) string {
	s := string(name)
	special := func(r rune) bool { return r <= ' ' || r == '"' || r >= 0x7f }
	if s == "" || len(s) > limit || strings.ContainsFunc(s, special) {
		return Quote(s, limit)
	}
	return s
}

// Clean returns at most limit bytes of a text of several lines, as valid UTF-8 without control
// characters other than newline and tab, and without space around it.
func Clean[T ~string | ~[]byte](text T, limit int) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune { // invalid UTF-8 becomes U+FFFD
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, Cut(text, limit)))
}

// Printable is [Shorten] with U+FFFD for everything unprintable, so that each character of the text
// still counts.
func Printable[T ~string | ~[]byte](text T, limit int) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, Shorten(text, limit))
}

// Label returns a text as a label of a metric: valid UTF-8, which the Prometheus library panics
// without.
func Label(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// digestShown is how many hexadecimal digits of a digest a message shows: enough to tell one file
// from another.
const digestShown = 12

// Digest returns the beginning of a digest in hexadecimal.
func Digest(digest string) string { return digest[:min(len(digest), digestShown)] }
