package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/internal/projection"
)

// path leads from a value to one within it. A key is a member's name; "[]" and "*" are every
// element and every member. The empty path is the value itself, written as ".".
type path []string

const (
	everyElement = "[]"
	everyMember  = "*"
)

// parsePath reads a path in the syntax of declared fields (docs/spec/abi.md).
func parsePath(text string) (path, error) {
	if text == "." {
		return path{}, nil
	}
	if _, err := projection.Parse([]string{text + suffix(text)}); err != nil {
		return nil, fmt.Errorf("%s is not a path such as spec.disks[].size: %w", shown(text), err)
	}
	var p path
	for i := 0; i < len(text); {
		switch {
		case text[i] == '.':
			i++
		case strings.HasPrefix(text[i:], everyElement):
			p, i = append(p, everyElement), i+2
		case text[i] == '[':
			var key strings.Builder
			quote := text[i+1]
			for i += 2; text[i] != quote; i++ {
				if text[i] == '\\' {
					i++
				}
				key.WriteByte(text[i])
			}
			p, i = append(p, key.String()), i+2
		default:
			end := i
			for end < len(text) && text[end] != '.' && text[end] != '[' {
				end++
			}
			p, i = append(p, text[i:end]), end
		}
	}
	return p, nil
}

// suffix completes a path that ends with [] or .*, which a declaration may not, for its parser.
func suffix(text string) string {
	if strings.HasSuffix(text, everyElement) || strings.HasSuffix(text, "."+everyMember) {
		return ".x"
	}
	return ""
}

// String returns the path as declarations write it.
func (p path) String() string {
	if len(p) == 0 {
		return "."
	}
	var b strings.Builder
	for i, key := range p {
		switch {
		case key == everyElement:
			b.WriteString(key)
		case key != everyMember && strings.ContainsFunc(key, special) || key == "":
			b.WriteString("['" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(key) + "']")
		default:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(key)
		}
	}
	return b.String()
}

func special(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || r == '$')
}

// pointer returns the path as a JSON Pointer; a path to every element is the pointer of the list.
func (p path) pointer() string {
	var b strings.Builder
	for _, key := range p.plain() {
		b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key))
	}
	return b.String()
}

// plain returns the path up to its first step to every element or member.
func (p path) plain() path {
	if i := slices.IndexFunc(p, isEvery); i >= 0 {
		return p[:i]
	}
	return p
}

func isEvery(key string) bool { return key == everyElement || key == everyMember }

func (p path) join(more path) path { return slices.Concat(p, more) }

func (p path) parent() path { return p[:max(0, len(p)-1)] }

func (p path) last() string { return p[len(p)-1] }

func (p path) equal(q path) bool { return slices.Equal(p, q) }

// within reports whether p is q or leads into q.
func (p path) within(q path) bool { return len(p) >= len(q) && p[:len(q)].equal(q) }

// common returns the number of keys with which both paths begin.
func (p path) common(q path) int {
	n := 0
	for n < len(p) && n < len(q) && p[n] == q[n] {
		n++
	}
	return n
}
