package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/replace"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/yamlfile"
	"github.com/crosswalk-gateway/crosswalk/internal/plainyaml"
)

// Place is a line of a file, and what is so there.
type Place struct {
	File string
	Line int
	Why  string
}

// Change is the new text of a file.
type Change struct {
	File     string
	Objects  int
	old, new []byte
	Notes    []Place
}

// Write replaces the file in one step, unless it has changed since it was read.
func (c Change) Write() error { return replace.Same(c.File, c.old, c.new) }

// ByHand is why Rewriter.Convert leaves an object to people.
type ByHand string

func (b ByHand) Error() string { return string(b) }

// Rewriter rewrites files.
type Rewriter struct {
	Match Match // the objects to convert
	// Convert returns an object at the other version, and notes about it. The error is why the
	// object cannot be converted.
	Convert func(object json.RawMessage) (converted json.RawMessage, notes []string, err error)

	Refused []Place // objects that cannot be converted or edited
	Left    []Place // patches, templates and the like, which people have to change

	patches map[string]bool
}

// Plan computes the new texts of files, and writes nothing. A file with an object that is refused or
// left alone stays as it is.
func (r *Rewriter) Plan(files []string) (changes []Change, err error) {
	if r.patches, err = patches(files); err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := readFile(file)
		if err != nil {
			return nil, err
		}
		before := len(r.Refused) + len(r.Left)
		change := r.file(file, text)
		if change.Objects > 0 && len(r.Refused)+len(r.Left) == before {
			changes = append(changes, change)
		}
	}
	return changes, nil
}

// file rewrites the documents of a file.
func (r *Rewriter) file(file string, text []byte) Change {
	change := Change{File: file, old: text}
	if other, changed := yamlfile.InUTF8(text); changed {
		r.refuseAll(file, split(other), errors.New("the file is UTF-16: write it in UTF-8"))
		return change
	}
	body, hadMark := bytes.CutPrefix(text, mark)
	windows := bytes.Contains(body, windowsLine)
	if windows {
		body = bytes.ReplaceAll(body, windowsLine, []byte("\n"))
	}
	documents := split(body)
	if windows && bytes.Count(body, []byte("\n")) != bytes.Count(text, windowsLine) || bytes.ContainsAny(body, "\r\u0085\u2028\u2029") {
		r.refuseAll(file, documents, errors.New("its line breaks are neither all LF nor all CR LF: make them so"))
		return change
	}
	at := 0
	var out []byte
	for _, d := range documents {
		edited, n := r.document(file, d, &change)
		out = append(append(out, body[at:d.At]...), edited...)
		at = d.At + len(d.Text)
		change.Objects += n
	}
	out = append(out, body[at:]...)
	if windows {
		out = bytes.ReplaceAll(out, []byte("\n"), windowsLine)
	}
	if hadMark {
		out = append(slices.Clone(mark), out...)
	}
	change.new = out
	return change
}

// document returns the new text of a document, and the number of converted objects.
func (r *Rewriter) document(file string, d document, change *Change) (edited []byte, n int) {
	lines := d.lines(r.Match)
	if len(lines) == 0 {
		return d.Text, 0
	}
	braces := bytes.Contains(d.Text, []byte("{{"))
	why := ""
	switch {
	case isKustomization(file):
		why = "in a kustomization"
	case braces && (d.err != nil || isTemplate(file) || hasPlaceholder(d.root)):
		why = "a template"
	case r.patches[place(file)]:
		why = "a patch of a kustomization"
	case d.err == nil && isEncrypted(d.root):
		why = "encrypted by sops"
	}
	if why != "" {
		r.leave(file, lines, why)
		return d.Text, 0
	}
	if d.err != nil {
		r.refuse(file, d.Line, d.err)
		return d.Text, 0
	}
	objects := []*yaml.Node{d.root}
	if yamlfile.Text(d.root, "kind") == "List" {
		objects = items(d.root, "items")
	}
	values := map[*yaml.Node]json.RawMessage{}
	for _, o := range objects {
		line := d.Line + o.Line - 1
		group, version, _ := strings.Cut(yamlfile.Text(o, "apiVersion"), "/")
		if kind := yamlfile.Text(o, "kind"); kind == "" || !r.Match(group, version, kind) {
			r.leave(file, linesOfNode(o, r.Match, d.Line), "not an object of its own")
			continue
		}
		if why := part(o); why != "" {
			r.leave(file, []int{line}, why)
			continue
		}
		text, err := plainyaml.AppendJSON(nil, o, plainyaml.JSONNumber)
		if err != nil {
			r.refuse(file, d.Line, err)
			continue
		}
		value, notes, err := r.Convert(text)
		var byHand ByHand
		if errors.As(err, &byHand) {
			r.leave(file, []int{line}, string(byHand))
			continue
		}
		if err != nil {
			r.refuse(file, line, err)
			continue
		}
		switch lost, kept, err := loses(o, value); {
		case err != nil:
			r.refuse(file, line, err)
			continue
		case lost != "":
			r.leave(file, []int{line}, "the conversion changes a text with a variable, "+lost)
			continue
		case kept != "":
			notes = append(notes, "the value of "+kept+" is not converted: check that it is one of the other version")
		}
		for _, note := range notes {
			change.Notes = append(change.Notes, Place{file, line, note})
		}
		values[o] = value
	}
	if len(values) == 0 {
		return d.Text, 0
	}
	value, err := whole(d.root, values)
	if err == nil {
		edited, err = Edit(d.Text, value)
	}
	if err != nil {
		r.refuse(file, d.Line, err)
		return d.Text, 0
	}
	return edited, len(values)
}

// whole returns a document with the new values of its objects.
func whole(root *yaml.Node, values map[*yaml.Node]json.RawMessage) (json.RawMessage, error) {
	if value := values[root]; value != nil {
		return value, nil
	}
	out := []byte{'{'}
	err := plainyaml.Members(root, func(key, value *yaml.Node) (err error) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		name, err := json.Marshal(key.Value)
		out = append(append(out, name...), ':')
		if err != nil || key.Value != "items" {
			out, err = plainyaml.AppendJSON(out, value, plainyaml.JSONNumber)
			return err
		}
		out = append(out, '[')
		for i, item := range value.Content {
			if i > 0 {
				out = append(out, ',')
			}
			if new := values[item]; new != nil {
				out = append(out, new...)
			} else if out, err = plainyaml.AppendJSON(out, item, plainyaml.JSONNumber); err != nil {
				return err
			}
		}
		out = append(out, ']')
		return nil
	})
	return append(out, '}'), err
}

// refuse adds a place that cannot be rewritten. An error of the parser has its line within the
// document that begins at a line.
func (r *Rewriter) refuse(file string, line int, err error) {
	line, why := yamlfile.Locate(err, line)
	r.Refused = append(r.Refused, Place{file, line, why})
}

// refuseAll refuses the objects of a file.
func (r *Rewriter) refuseAll(file string, documents []document, err error) {
	for _, d := range documents {
		for _, line := range d.lines(r.Match) {
			r.refuse(file, line, err)
		}
	}
}

func (r *Rewriter) leave(file string, lines []int, why string) {
	for _, line := range lines {
		r.Left = append(r.Left, Place{file, line, why})
	}
}
