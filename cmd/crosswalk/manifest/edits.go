package manifest

import (
	"cmp"
	"slices"
	"strings"
)

// edit replaces a part of the text. text is called after all edits are known.
type edit struct {
	from, to int
	text     func() (string, error)
}

// edits are the edits of a document.
type edits struct{ all []edit }

func (e *edits) replace(from, to int, text func() (string, error)) {
	e.all = append(e.all, edit{from, to, text})
}

func (e *edits) delete(from, to int) {
	e.replace(from, to, func() (string, error) { return "", nil })
}

// apply returns a text with all edits. The comments of removed members whose text no place took go to
// their heirs.
func (e *edits) apply(text []byte, removed []removed) (out []byte, err error) {
	order := make([]int, len(e.all))
	texts := make([]string, len(e.all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(e.all[a].from, e.all[b].from), cmp.Compare(e.all[a].to, e.all[b].to))
	})
	for _, i := range order {
		if texts[i], err = e.all[i].text(); err != nil {
			return nil, err
		}
	}
	for i := len(removed) - 1; i >= 0; i-- {
		if r := removed[i]; r.heir >= 0 && !r.used {
			rest, isAtEnd := strings.CutPrefix(texts[r.heir], "\n")
			if texts[r.heir] = r.comments() + rest; isAtEnd {
				texts[r.heir] = "\n" + texts[r.heir]
			}
		}
	}
	at := 0
	for _, i := range order {
		edit := e.all[i]
		if edit.from < at || edit.to < edit.from {
			return nil, errExtent
		}
		out = append(append(out, text[at:edit.from]...), texts[i]...)
		at = edit.to
	}
	return append(out, text[at:]...), nil
}

// replaced reports whether the text at an offset is replaced.
func (e *edits) replaced(at int) bool {
	return slices.ContainsFunc(e.all, func(d edit) bool { return d.from == at && d.to > at })
}
