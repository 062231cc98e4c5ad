package golden

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/replace"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/yamlfile"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
	"github.com/crosswalk-gateway/crosswalk/runtime/load"
)

// Why returns the differences of a result from its case, all of them; "" if it passes.
func Why(r load.CaseResult) string {
	hint := ""
	if r.Hint != "" {
		hint = "\n" + r.Hint
	}
	switch {
	case r.Err == nil:
		return ""
	case r.Got != nil && r.Case.Want != nil && !rawjson.Equal(r.Case.Want, r.Got):
		return Differences(r.Case.Want, r.Got) + hint
	case r.Stash != nil && r.Case.Stash != nil && !rawjson.Equal(r.Case.Stash, r.Stash):
		return "in the stash:\n" + Differences(r.Case.Stash, r.Stash) + hint
	}
	return r.Err.Error()
}

// Lines returns the line of each golden case in a sidecar; none if the file cannot be read.
func Lines(file string) (lines []int) {
	var doc yaml.Node
	text, err := os.ReadFile(file)
	if err != nil || yaml.Unmarshal(text, &doc) != nil {
		return nil
	}
	if cases := member(&doc, "cases"); cases != nil {
		for _, c := range cases.Content {
			lines = append(lines, c.Line)
		}
	}
	return lines
}

// UpdateSidecar writes the answers of failed cases into a sidecar, and returns the labels of the
// cases that it changed. Comments stay; the file's white space may change. results are those of all
// cases of the sidecar, in its order.
func UpdateSidecar(file string, results []load.CaseResult) (changed []string, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	cases := member(&doc, "cases")
	if cases == nil || len(cases.Content) != len(results) {
		return nil, fmt.Errorf("%s has changed since the module was loaded: run the command again", file)
	}
	for i, r := range results {
		if r.Err == nil {
			continue
		}
		did, err := update(cases.Content[i], r)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", file, r.Case.Name, err)
		}
		if did {
			changed = append(changed, r.Case.Name)
		}
	}
	if len(changed) == 0 {
		return nil, nil
	}
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	e.CompactSeqIndent()
	if err := errors.Join(e.Encode(&doc), e.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return changed, replace.File(file, b.Bytes())
}

// update writes a result into the node of its case. It reports whether that changed the node: a
// case that fails because its answer does not come back has nothing to update.
func update(n *yaml.Node, r load.CaseResult) (bool, error) {
	switch {
	case r.Refusal != "":
		for _, key := range []string{"want", "stash", "thereAndBack"} {
			remove(n, key)
		}
		set(n, "wantError", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: r.Refusal})
		return true, nil
	case r.Got == nil:
		return false, nil
	}
	did := false
	if r.Case.WantError != "" || r.Case.Want != nil && !rawjson.Equal(r.Case.Want, r.Got) {
		text, err := short(r.Got, r.Case.Object)
		if err != nil {
			return false, err
		}
		want, err := output.Node(text)
		if err != nil {
			return false, err
		}
		remove(n, "wantError")
		set(n, "want", want)
		did = true
	}
	if r.Stash != nil && !rawjson.Equal(r.Case.Stash, r.Stash) {
		stash, err := output.Node(r.Stash)
		if err != nil {
			return false, err
		}
		set(n, "stash", stash)
		did = true
	}
	return did, nil
}

// member returns a member of a mapping or of a document's root; nil if it is absent.
func member(n *yaml.Node, key string) *yaml.Node {
	if n.Kind == yaml.DocumentNode && len(n.Content) == 1 {
		n = n.Content[0]
	}
	return yamlfile.Member(n, key)
}

// set replaces the value of a member, or appends the member.
func set(n *yaml.Node, key string, value *yaml.Node) {
	if old := member(n, key); old != nil {
		*old = *value
		return
	}
	n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, value)
}

func remove(n *yaml.Node, key string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			n.Content = append(n.Content[:i:i], n.Content[i+2:]...)
			return
		}
	}
}
