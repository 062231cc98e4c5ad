package values

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// MaxObserved is the number of objects whose values are compared: more objects say little more.
const MaxObserved = 500

// Observed is objects that are given in several versions. What they do not show is not inferred.
type Observed struct {
	objects []*observed // in the order in which they were given
	at      map[string]*observed
	crd     *apiextensionsv1.CustomResourceDefinition
	more    int // objects beyond MaxObserved
}

// observed is one object.
type observed struct {
	name     string // namespace/name
	versions map[string]map[string]any
	heads    map[string]head
	bad      string // why it is not compared
}

type head struct {
	APIVersion, Kind string
	Metadata         struct {
		Name, Namespace, UID string
		Generation           json.Number
	}
}

// NewObserved returns the set of objects of a definition, which is empty.
func NewObserved(crd *apiextensionsv1.CustomResourceDefinition) *Observed {
	return &Observed{crd: crd, at: map[string]*observed{}}
}

// Add adds the manifest of an object in one version. It reports whether the manifest is of the kind.
func (o *Observed) Add(manifest json.RawMessage, from string) (of bool, err error) {
	var h head
	if err := json.Unmarshal(manifest, &h); err != nil {
		if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
			return false, fmt.Errorf("%s: its %s is a JSON %s", from, strings.ToLower(wrong.Field), wrong.Value)
		}
		return false, fmt.Errorf("%s: %w", from, err)
	}
	group, version, _ := strings.Cut(h.APIVersion, "/")
	if group != o.crd.Spec.Group || h.Kind != o.crd.Spec.Names.Kind {
		return false, nil
	}
	if h.Metadata.Name == "" {
		return false, fmt.Errorf("%s: the object has no metadata.name: objects are paired by it", from)
	}
	name := h.Metadata.Name
	if h.Metadata.Namespace != "" {
		name = h.Metadata.Namespace + "/" + name
	}
	name = foreign.Name(name, maxShownName)
	key := h.Metadata.Namespace + "/" + h.Metadata.Name
	one := o.at[key]
	if one == nil {
		if len(o.objects) == MaxObserved {
			o.more++
			return true, nil
		}
		one = &observed{name: name, versions: map[string]map[string]any{}, heads: map[string]head{}}
		o.objects, o.at[key] = append(o.objects, one), one
	}
	d := json.NewDecoder(bytes.NewReader(manifest))
	d.UseNumber()
	var value map[string]any
	if err := d.Decode(&value); err != nil {
		return false, fmt.Errorf("%s: %w", from, err)
	}
	if old, ok := one.versions[version]; ok && canonical(old) != canonical(value) {
		one.bad = "it is given twice in " + foreign.Name(version, maxShownName) + ", with different fields"
	}
	one.versions[version], one.heads[version] = value, h
	return true, nil
}

// maxShownName bounds the name of an object in a comment.
const maxShownName = 100

// Between returns the objects that are given in both versions and in the same state, and says which
// others there are.
func (o *Observed) Between(from, to string) (c *Compared, ignored []string) {
	if o == nil {
		return &Compared{}, nil
	}
	var all []Observation
	alone := 0
	for _, one := range o.objects {
		a, b := one.versions[from], one.versions[to]
		if a == nil || b == nil {
			alone++
			continue
		}
		switch f, g := one.heads[from].Metadata, one.heads[to].Metadata; {
		case one.bad != "":
			ignored = append(ignored, one.name+": "+one.bad)
		case f.UID != "" && g.UID != "" && f.UID != g.UID:
			ignored = append(ignored, one.name+": its metadata.uid differs: these are two objects of one name")
		case f.Generation != "" && g.Generation != "" && f.Generation != g.Generation:
			ignored = append(ignored, fmt.Sprintf("%s: its metadata.generation is %s in %s and %s in %s: somebody changed the object in between", one.name, f.Generation, from, g.Generation, to))
		default:
			all = append(all, Observation{one.name, [2]map[string]any{a, b}})
		}
	}
	switch {
	case alone == 1:
		ignored = append(ignored, fmt.Sprintf("1 object that is not given in both %s and %s", from, to))
	case alone > 1:
		ignored = append(ignored, fmt.Sprintf("%d objects that are not given in both %s and %s", alone, from, to))
	}
	if o.more > 0 {
		ignored = append(ignored, fmt.Sprintf("%d manifests beyond the first %d objects", o.more, MaxObserved))
	}
	return &Compared{all, maxComparisons, o.crd, [2]string{from, to}}, ignored
}

// Pairs returns the number of objects that are given in two neighbouring versions, for all neighbours.
func (o *Observed) Pairs(versions []string) (n int) {
	for i := 0; i+1 < len(versions); i++ {
		c, _ := o.Between(versions[i], versions[i+1])
		n += len(c.Objects)
	}
	return n
}
