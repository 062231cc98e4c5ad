package output

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// screen is a writer for a terminal.
type screen struct {
	to   io.Writer
	lock sync.Mutex
	rest []byte // the beginning of a character or of a sequence, at the end of the last write
}

// Screen returns a writer that shows text of others (names, values, messages of modules and of
// registries) without letting it control the terminal: control characters, marks that change the
// direction of text, and bytes that are not UTF-8 are written as escapes such as \u001b. Newlines,
// tabs, the colours of [Paint] and, at the beginning of a write, [EraseLine] pass. A character that
// a write ends within waits for the next write. Goroutines may share it.
func Screen(to io.Writer) io.Writer { return &screen{to: to} }

// EraseLine begins a line of progress: it replaces the line before.
const EraseLine = "\r\x1b[K"

// Progress returns a function that replaces the line of progress on a terminal, at most ten times a second, and
// one that removes it, before anything else is written. Both do nothing if no person sees the output. They are
// for one goroutine.
func Progress(w io.Writer) (say func(format string, args ...any), end func()) {
	if !IsTerminal(w) {
		return func(string, ...any) {}, func() {}
	}
	var last time.Time
	return func(format string, args ...any) {
			if now := time.Now(); now.Sub(last) > 100*time.Millisecond {
				last = now
				fmt.Fprintf(w, EraseLine+format, args...)
			}
		}, func() {
			last = time.Time{}
			fmt.Fprint(w, EraseLine)
		}
}

// Write writes text. It reports all of text as written unless the writer below fails.
func (s *screen) Write(text []byte) (int, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	var out bytes.Buffer
	in := text
	if len(s.rest) > 0 {
		in = append(s.rest, text...)
		s.rest = nil
	} else if rest, erases := bytes.CutPrefix(in, []byte(EraseLine)); erases {
		out.WriteString(EraseLine)
		in = rest
	}
	for len(in) > 0 {
		n, complete := own(in)
		if !complete {
			s.rest = bytes.Clone(in)
			break
		}
		if n > 0 {
			out.Write(in[:n])
			in = in[n:]
			continue
		}
		r, size := utf8.DecodeRune(in)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&out, `\x%02x`, in[0])
		case r == '\n' || r == '\t' || !unicode.Is(unicode.C, r) && r != '\u2028' && r != '\u2029':
			out.Write(in[:size])
		case r > 0xFFFF:
			fmt.Fprintf(&out, `\U%08x`, r)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
		in = in[size:]
	}
	if _, err := s.to.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(text), nil
}

// own returns the length of the sequence of this program that text begins with; 0 if it begins with
// none. complete is false if text ends before that is known, or within a character.
func own(text []byte) (n int, complete bool) {
	for _, sequence := range []string{string(Red), string(Green), string(Yellow), string(Grey), endColour, "\r\n"} {
		if bytes.HasPrefix(text, []byte(sequence)) {
			return len(sequence), true
		}
		if bytes.HasPrefix([]byte(sequence), text) {
			return 0, false
		}
	}
	return 0, utf8.FullRune(text)
}
