package verify

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/yamlfile"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/manifest"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/modules"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// manifestConverter converts manifests to a version. A manifest lacks what an API server adds: the
// metadata of a stored object, and defaults.
type manifestConverter struct {
	set         modules.Set
	to          string                           // the version
	keepStash   bool                             // in the manifest
	definitions map[string]*apiserver.Definition // by KIND.GROUP; nil for kinds without a definition
}

// add adds the definition of a kind.
func (c *manifestConverter) add(kind string, d definition.Definition) (err error) {
	if d.CRD != nil {
		c.definitions[kind], err = apiserver.New(d.CRD)
	}
	return err
}

// convert returns a manifest at the other version. To an API server with the definition it means the
// object that a gateway makes of the stored manifest, at both versions, and it has no more fields
// than that takes.
func (c *manifestConverter) convert(ctx context.Context, object json.RawMessage) (json.RawMessage, []string, error) {
	var head struct{ APIVersion, Kind string }
	if err := json.Unmarshal(object, &head); err != nil {
		return nil, nil, err
	}
	group, from, _ := strings.Cut(head.APIVersion, "/")
	stored := completed(object)
	if stored == nil {
		stored = object
	}
	whole, err := c.review(ctx, group+"/"+c.to, stored)
	if err != nil {
		return nil, nil, err
	}
	var notes []string
	result, err := output.Node(whole)
	if err != nil {
		return nil, nil, err
	}
	if d := c.definitions[head.Kind+"."+group]; d != nil && d.Version(from) != nil && d.Version(c.to) != nil {
		m := meaning{c, ctx, d.Version(from), d.Version(c.to)}
		if err := m.placeholders(object); err != nil {
			return nil, nil, err
		}
		if notes, err = m.unknown(object); err == nil && notes == nil {
			result, err = m.least(object, stored, whole)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	before, err := output.Node(object)
	if err != nil {
		return nil, nil, err
	}
	if yamlfile.Member(before, "status") == nil {
		removeMember(result, "status") // an API server would ignore it
	}
	metadata, stash := yamlfile.Member(result, "metadata"), "conversion."+group+"/stash"
	old, new := yamlfile.Member(yamlfile.Member(before, "metadata"), "annotations"), yamlfile.Member(metadata, "annotations")
	for i := 0; new != nil && i+1 < len(new.Content); i += 2 {
		switch key := new.Content[i].Value; {
		case yamlfile.Member(old, key) != nil:
		case c.keepStash || !strings.HasPrefix(key, stash):
			notes = append(notes, fmt.Sprintf("the annotation %s keeps values that have no field in %s", key, c.to))
		default:
			if at, isLeaf := strings.CutPrefix(key, stash+"."+from+"."); isLeaf || i+2 == len(new.Content) || !strings.HasPrefix(new.Content[i+2].Value, stash) {
				notes = append(notes, fmt.Sprintf("left out %s: %s has no field for it; --keep-stash keeps it in an annotation", at, c.to))
			}
			new.Content = slices.Delete(new.Content, i, i+2)
			i -= 2
		}
	}
	if new != nil && len(new.Content) == 0 {
		removeMember(metadata, "annotations")
	}
	return uncompleted(textOf(result)), notes, nil
}

func (c *manifestConverter) review(ctx context.Context, to string, object json.RawMessage) (json.RawMessage, error) {
	answer, err := modules.Review(ctx, c.set, to, []json.RawMessage{object})
	if err != nil {
		return nil, err
	}
	return answer[0], nil
}

// meaning compares manifests by what an API server makes of them.
type meaning struct {
	*manifestConverter
	ctx      context.Context
	from, to *apiserver.Version
}

// placeholders returns an error if a manifest has a placeholder in a field whose values are converted: the
// value that another program puts there would be one of the old version.
func (m meaning) placeholders(object json.RawMessage) (err error) {
	value, err := apiserver.Decode(object)
	if err != nil {
		return err
	}
	m.from.Enums(value, func(at string, is any, enum []any) {
		text, _ := is.(string)
		if err != nil || !manifest.IsPlaceholder(text) {
			return
		}
		whole := m.with(value)
		for _, one := range enum {
			if other := m.with(replaced(value, text, one)); whole != nil && other != nil && !reflect.DeepEqual(other, replaced(whole, text, one)) {
				err = manifest.ByHand("a placeholder in " + at + ", whose values are converted")
				return
			}
		}
	})
	return err
}

// with returns the conversion of an object without its stash, which has values as text and as hashes;
// nil if it fails.
func (m meaning) with(object any) any {
	text, err := json.Marshal(object)
	if err != nil {
		return nil
	}
	answer, err := m.review(m.ctx, m.to.APIVersion, text)
	if err != nil {
		return nil
	}
	converted, err := apiserver.Decode(answer)
	if err != nil {
		return nil
	}
	unstash(converted)
	return converted
}

// unstash deletes the annotations in which modules keep values of another version.
func unstash(object map[string]any) {
	group, _, _ := strings.Cut(fmt.Sprint(object["apiVersion"]), "/")
	metadata, _ := object["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	maps.DeleteFunc(annotations, func(name string, _ any) bool { return strings.HasPrefix(name, "conversion."+group+"/") })
	if len(annotations) == 0 {
		delete(metadata, "annotations")
	}
}

// replaced returns a copy of a value with another one in the place of a text.
func replaced(value any, text string, by any) any {
	switch v := value.(type) {
	case map[string]any:
		other := make(map[string]any, len(v))
		for key, child := range v {
			other[key] = replaced(child, text, by)
		}
		return other
	case []any:
		other := make([]any, len(v))
		for i, child := range v {
			other[i] = replaced(child, text, by)
		}
		return other
	case string:
		if v == text {
			return by
		}
	}
	return value
}

// unknown returns a note if a manifest has fields that its schema does not have. Then the schema
// cannot say what the manifest means, because it may be older.
func (m meaning) unknown(object json.RawMessage) ([]string, error) {
	value, err := apiserver.Decode(object)
	if err != nil {
		return nil, err
	}
	cut := m.from.Prune(value)
	if len(cut) == 0 {
		return nil, nil
	}
	return []string{fmt.Sprintf("the schema of %s does not have %s, so that defaults are not considered", m.from.Name, foreign.Shorten(strings.Join(cut, ", "), 200))}, nil
}

// least returns the smallest manifest that means the same as a manifest at the old version. whole is
// the conversion of that manifest as a stored object without the defaults of its version.
func (m meaning) least(object, stored, whole json.RawMessage) (*yaml.Node, error) {
	defaulted, err := apiserver.Decode(stored)
	if err != nil {
		return nil, err
	}
	m.from.Default(defaulted)
	text, err := json.Marshal(defaulted)
	if err != nil {
		return nil, err
	}
	full, err := m.review(m.ctx, m.to.APIVersion, text)
	if err != nil {
		return nil, fmt.Errorf("with the defaults of %s: %w", m.from.Name, err)
	}
	candidates := []json.RawMessage{whole}
	if fragment, err := m.review(m.ctx, m.to.APIVersion, object); err == nil { // without defaults of the conversion
		candidates = []json.RawMessage{fragment, whole}
	}
	for _, candidate := range candidates {
		for _, annotations := range []bool{false, true} {
			n, err := m.filled(candidate, full, annotations)
			if err != nil {
				return nil, err
			}
			if m.equal(textOf(n), full) {
				return n, nil
			}
		}
	}
	return output.Node(full)
}

// filled returns a candidate with the fields of the full object that it lacks, or has with another
// value, after an API server has set its defaults.
func (m meaning) filled(candidate, full json.RawMessage, annotations bool) (*yaml.Node, error) {
	n, err := output.Node(candidate)
	if err != nil {
		return nil, err
	}
	source, err := output.Node(full)
	if err != nil {
		return nil, err
	}
	got, err := apiserver.Decode(candidate)
	if err != nil {
		return nil, err
	}
	want, err := apiserver.Decode(full)
	if err != nil {
		return nil, err
	}
	m.to.Default(got)
	m.to.Store(want)
	var fill func(n, source *yaml.Node, got, want map[string]any)
	fill = func(n, source *yaml.Node, got, want map[string]any) {
		for i := 0; i+1 < len(source.Content); i += 2 {
			name, value := source.Content[i].Value, source.Content[i+1]
			if reflect.DeepEqual(got[name], want[name]) {
				continue
			}
			inner, isMapping := got[name].(map[string]any)
			outer, isWanted := want[name].(map[string]any)
			if own := yamlfile.Member(n, name); isMapping && isWanted && own != nil && own.Kind == yaml.MappingNode && value.Kind == yaml.MappingNode {
				fill(own, value, inner, outer)
				continue
			}
			setMember(n, name, value)
		}
		for name := range got {
			if _, has := want[name]; !has {
				removeMember(n, name)
			}
		}
	}
	kept := yamlfile.Member(source, "metadata")
	removeMember(source, "metadata")
	delete(got, "metadata")
	fill(n, source, got, want)
	if metadata, value := yamlfile.Member(n, "metadata"), yamlfile.Member(kept, "annotations"); annotations && metadata != nil && value != nil {
		setMember(metadata, "annotations", value)
	}
	return n, nil
}

// equal reports whether two manifests of the new version mean the same: with the defaults of the
// version, and back at the old version with its defaults.
func (m meaning) equal(a, b json.RawMessage) bool {
	return m.alike(m.to, a, b, true) && m.alikeThere(a, b)
}

// alikeThere compares the objects at the old version that two stored manifests are converted to.
func (m meaning) alikeThere(a, b json.RawMessage) bool {
	var back [2]json.RawMessage
	for i, object := range []json.RawMessage{a, b} {
		if whole := completed(object); whole != nil {
			object = whole
		}
		stored, err := apiserver.Decode(object)
		if err != nil {
			return false
		}
		m.to.Default(stored)
		if object, err = json.Marshal(stored); err != nil {
			return false
		}
		if back[i], err = m.review(m.ctx, m.from.APIVersion, object); err != nil {
			return m.alike(m.to, a, b, false) // only one direction exists, or the object refuses it
		}
	}
	return m.alike(m.from, back[0], back[1], false)
}

// alike reports whether two objects are equal with the defaults of their version.
func (m meaning) alike(v *apiserver.Version, a, b json.RawMessage, butAnnotations bool) bool {
	var objects [2]map[string]any
	for i, text := range []json.RawMessage{a, b} {
		object, err := apiserver.Decode(text)
		if err != nil {
			return false
		}
		v.Store(object)
		if metadata, is := object["metadata"].(map[string]any); is {
			delete(metadata, "uid")
			if butAnnotations {
				delete(metadata, "annotations")
			}
		}
		objects[i] = object
	}
	return reflect.DeepEqual(objects[0], objects[1])
}
