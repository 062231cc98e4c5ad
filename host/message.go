package host

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

// failure is why a review fails. Its message is what the person who typed kubectl sees, after the API server's own "conversion webhook
// for <apiVersion>, Kind=<kind> failed: ". It names objects, versions and modules; it never quotes what is in an object.
type failure struct {
	kind    string // one of the constants of outcome.go
	module  string // file name of the module at fault, if it was one
	message string
}

const (
	// maxWord bounds a name taken over from a request: the longest that Kubernetes knows has 253 bytes.
	maxWord = 253
	// maxRefusal bounds a guest's own words: enough for an explanation, little enough for a terminal.
	maxRefusal = 4 << 10
	// maxFault bounds what an error says of a fault.
	maxFault = 1 << 10
	// digestShown is how many hexadecimal digits of a module's digest a message shows: enough to tell one module from another.
	digestShown = 12
)

// shown returns a name from a request fit to be shown: as it is if it is plain, else in quotes.
func shown[T string | []byte](name T) string {
	if s := string(name); isPlain(s) {
		return s
	}
	return quoted(name)
}

// isPlain says whether a name can stand in a message without quotes.
func isPlain(s string) bool {
	return s != "" && len(s) <= maxWord && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == '"' || r >= 0x7f })
}

// quoted returns a name from a request in quotes, with everything escaped that does not print, and cut if it is too long.
func quoted[T string | []byte](name T) string {
	if s := string(name); len(s) > maxWord {
		return strconv.Quote(cut(s, maxWord)) + "…"
	}
	return strconv.Quote(string(name))
}

// words makes a guest's text, or an error's, fit to be shown: valid UTF-8, no control characters but newline and tab, bounded.
func words(s string, limit int) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune { // bytes that are no UTF-8 come as U+FFFD
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, cut(s, limit)))
}

// cut returns s, or its beginning if it has more than limit bytes, without cutting a character in two.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// signed names a module: "CronTab.stable.example.com_v1_v2.wasm (sha256:0123456789ab)".
func signed(m Module) string {
	digest := m.Digest()
	return m.Name() + " (sha256:" + digest[:min(len(digest), digestShown)] + ")"
}

// title names the object at index i of a review: "object 3 (default/my-cron)".
func (o *object) title(body []byte, i int) string {
	name := o.meta.identity(identityName, body)
	if len(name) == 0 {
		return "object " + strconv.Itoa(i) + " (no name)"
	}
	title := "object " + strconv.Itoa(i) + " ("
	if namespace := o.meta.identity(identityNamespace, body); len(namespace) > 0 {
		title += shown(namespace) + "/"
	}
	return title + shown(name) + ")"
}

// identity returns one of the identifying fields, unescaped; nothing if it is absent or not a string.
func (m *metadata) identity(which int, body []byte) []byte {
	if m.keep[which] == (rawjson.Span{}) {
		return nil
	}
	var s rawjson.Scanner
	s.Reset(m.keep[which].Of(body), 0)
	_, text := s.String() // nothing if it is no string
	return text
}
