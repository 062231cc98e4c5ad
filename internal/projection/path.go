package projection

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Bounds of a declaration: several times the fields of the largest known resources, and small
// beside a module.
const (
	maxPaths = 1000 // of one version
	maxPath  = 1024 // bytes
	maxSteps = 32   // of one path
)

// Step is one step of a path.
type Step struct {
	To   byte   // '.' a member, '*' every member, '[' every element
	Name string // of the member; "*" and "[]" for the others
}

const (
	toMember       = '.'
	toEveryMember  = '*'
	toEveryElement = '['
)

var (
	everyMember  = Step{toEveryMember, "*"}
	everyElement = Step{toEveryElement, "[]"}
)

// Steps reads a path as docs/spec/abi.md defines it: spec.containers[].env.*['a.b/c'].
//
// # Errors
//
// The error describes the path's form. [Parse] decides whether the path may be declared.
func Steps(path string) (steps []Step, err error) {
	if len(path) > maxPath {
		return nil, fmt.Errorf("it has %d bytes; a path may have %d", len(path), maxPath)
	}
	if !utf8.ValidString(path) {
		return nil, errors.New("it is not valid UTF-8")
	}
	for i := 0; i < len(path); {
		var s Step
		if s, i, err = parseStep(path, i); err != nil {
			return nil, err
		}
		if steps = append(steps, s); len(steps) > maxSteps {
			return nil, fmt.Errorf("it has more than %d steps", maxSteps)
		}
	}
	if len(steps) == 0 {
		return nil, errors.New("it is empty")
	}
	return steps, nil
}

// parseStep reads the step at i and returns the position after it.
func parseStep(path string, i int) (s Step, end int, err error) {
	switch rest := path[i:]; {
	case strings.HasPrefix(rest, "[]"):
		return everyElement, i + 2, nil
	case rest[0] == '[':
		return parseQuoted(path, i)
	case rest[0] == '.' && i == 0:
		return s, 0, errors.New("it begins with a dot: leave it out")
	case rest[0] == '.':
		i++
	case i > 0:
		return s, 0, fmt.Errorf("a dot or a bracket is missing at byte %d", i)
	}
	if strings.HasPrefix(path[i:], "*") {
		return everyMember, i + 1, nil
	}
	end = i
	for end < len(path) && isPlain(path[end]) {
		end++
	}
	switch {
	case end > i:
		return Step{toMember, path[i:end]}, end, nil
	case end == len(path):
		return s, 0, errors.New("it ends with a dot")
	case path[end] == '.' || path[end] == '[':
		return s, 0, fmt.Errorf("a name is missing at byte %d", end)
	}
	r, _ := utf8.DecodeRuneInString(path[end:])
	return s, 0, fmt.Errorf("%q at byte %d must be in quotes, with its whole name: ['…']", r, end)
}

// isPlain says whether a name with the byte needs no quotes.
func isPlain(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '$'
}

// parseQuoted reads ['name'] or ["name"] at i. A backslash stands before a quote or a backslash
// that is part of the name.
func parseQuoted(path string, i int) (s Step, end int, err error) {
	if i+1 >= len(path) || path[i+1] != '\'' && path[i+1] != '"' {
		return s, 0, fmt.Errorf("byte %d opens a bracket that is neither [] nor ['name']", i)
	}
	quote := path[i+1]
	var name strings.Builder
	for end = i + 2; end < len(path) && path[end] != quote; end++ {
		if path[end] == '\\' {
			if end++; end == len(path) || path[end] != '\\' && path[end] != '\'' && path[end] != '"' {
				return s, 0, fmt.Errorf(`the backslash at byte %d stands before no quote and no backslash`, end-1)
			}
		}
		name.WriteByte(path[end])
	}
	if end+1 >= len(path) || path[end+1] != ']' {
		return s, 0, fmt.Errorf("the name in quotes at byte %d does not end in %c]", i+1, quote)
	}
	return Step{toMember, name.String()}, end + 2, nil
}

// appendSteps writes a path as messages show it.
func appendSteps(dst []byte, steps []Step) []byte {
	for _, s := range steps {
		switch s.To {
		case toEveryMember:
			dst = append(dst, ".*"...)
		case toEveryElement:
			dst = append(dst, "[]"...)
		default:
			dst = appendName(dst, s.Name)
		}
	}
	return dst
}

// appendName writes a step to a member.
func appendName(dst []byte, name string) []byte {
	plain := name != ""
	for i := 0; i < len(name) && plain; i++ {
		plain = isPlain(name[i])
	}
	if !plain {
		return fmt.Appendf(dst, "[%q]", name)
	}
	if len(dst) > 0 {
		dst = append(dst, '.')
	}
	return append(dst, name...)
}
