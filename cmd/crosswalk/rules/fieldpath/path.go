// Package fieldpath has the paths of fields that rules name.
package fieldpath

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/projection"
)

// Path leads from a value to one within it. A key is a member's name; "[]" and "*" are every
// element and every member. The empty path is the value itself, written as ".".
type Path []string

const (
	Elements = "[]"
	Members  = "*"
)

// Parse reads a path in the syntax of declared fields (docs/spec/abi.md).
func Parse(text string) (Path, error) {
	if text == "." {
		return Path{}, nil
	}
	if _, err := projection.Parse([]string{text + suffix(text)}); err != nil {
		return nil, fmt.Errorf("%s is not a path such as spec.disks[].size: %w", strconv.Quote(foreign.Fit(text, 80)), err)
	}
	var p Path
	steps, err := projection.Steps(text)
	for _, step := range steps {
		p = append(p, step.Name)
	}
	return p, err
}

// suffix completes a path that ends with [] or .*, which a declaration may not, for its parser.
func suffix(text string) string {
	if strings.HasSuffix(text, Elements) || strings.HasSuffix(text, "."+Members) {
		return ".x"
	}
	return ""
}

// String returns the path as declarations write it.
func (p Path) String() string {
	if len(p) == 0 {
		return "."
	}
	var b strings.Builder
	for i, key := range p {
		switch {
		case key == Elements:
			b.WriteString(key)
		case key != Members && strings.ContainsFunc(key, special) || key == "":
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

// Pointer returns the path as a JSON Pointer; a path to every element is the pointer of the list.
func (p Path) Pointer() string {
	var b strings.Builder
	for _, key := range p.Plain() {
		b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key))
	}
	return b.String()
}

// Plain returns the path up to its first step to every element or member.
func (p Path) Plain() Path {
	if i := slices.IndexFunc(p, IsEvery); i >= 0 {
		return p[:i]
	}
	return p
}

func IsEvery(key string) bool { return key == Elements || key == Members }

func (p Path) Join(more ...string) Path { return slices.Concat(p, more) }

func (p Path) Parent() Path { return p[:max(0, len(p)-1)] }

// Last returns the last key; "" of the value itself.
func (p Path) Last() string {
	if len(p) == 0 {
		return ""
	}
	return p[len(p)-1]
}

func (p Path) Equal(q Path) bool { return slices.Equal(p, q) }

// Within reports whether p is q or leads into q.
func (p Path) Within(q Path) bool { return len(p) >= len(q) && p[:len(q)].Equal(q) }

// Related reports whether one of two values is within the other.
func (p Path) Related(q Path) bool { return p.Within(q) || q.Within(p) }

// Common returns the number of keys with which both paths begin.
func (p Path) Common(q Path) int {
	n := 0
	for n < len(p) && n < len(q) && p[n] == q[n] {
		n++
	}
	return n
}
