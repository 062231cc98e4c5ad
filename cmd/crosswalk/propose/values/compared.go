package values

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// Observation is one object in both versions.
type Observation struct {
	Name    string
	Objects [2]map[string]any
}

// Compared is the objects of which values are compared.
type Compared struct {
	Objects  []Observation
	left     int // comparisons of two values
	crd      *apiextensionsv1.CustomResourceDefinition
	versions [2]string
}

// maxComparisons bounds the comparisons of values for two versions, to some seconds.
const maxComparisons = 5_000_000

// Exhausted reports whether there were too many values to compare all.
func (c *Compared) Exhausted() bool { return c.left < 0 }

// MaxComparisons is how many values are compared.
const MaxComparisons = maxComparisons

// shown returns an object with its values, one of which may be nil, for a comment.
func (c *Compared) shown(a, b *cell) string {
	text := func(c *cell) string {
		if c == nil {
			return "nothing"
		}
		return foreign.Shorten(c.text, maxShownName)
	}
	one := a
	if one == nil {
		one = b
	}
	return fmt.Sprintf("%s has %s and %s", c.Objects[one.at.object].Name, text(a), text(b))
}
