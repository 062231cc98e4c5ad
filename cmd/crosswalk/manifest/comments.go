package manifest

import "bytes"

// headOf returns the offset of the comment directly above a line that begins with the content at an
// offset, or of the line if there is none.
func (s *source) headOf(at int) int {
	i := s.lineOf(at)
	column := at - s.lines[i]
	for ; i > 0; i-- {
		indent, content := indentation(s.line(i - 1))
		if len(content) == 0 || content[0] != '#' || indent != column {
			break
		}
	}
	return s.lines[i]
}

// tailOf returns the offset after the line that has an offset, and after comments below it that are
// indented deeper than a column.
func (s *source) tailOf(end, column int) int {
	i := s.lineOf(end)
	for ; i+1 < len(s.lines); i++ {
		indent, content := indentation(s.line(i + 1))
		if len(content) == 0 || content[0] != '#' || indent <= column {
			break
		}
	}
	return s.after(i)
}

// comment returns the comment after an offset in its line, and the offset of its end.
func (s *source) comment(end int) (text string, to int) {
	line := s.lineOf(end)
	to = s.lines[line] + len(s.line(line))
	if rest := bytes.TrimSpace(s.text[end:max(to, end)]); len(rest) > 0 && rest[0] == '#' {
		return string(rest), to
	}
	return "", end
}

// first reports whether only spaces stand before an offset in its line.
func (s *source) first(at int) bool {
	return len(bytes.TrimLeft(s.text[s.lines[s.lineOf(at)]:at], " ")) == 0
}
