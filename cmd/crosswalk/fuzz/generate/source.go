package generate

import (
	"maps"
	"math"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
)

// maxPatterns bounds the compiled patterns of a schema.
const maxPatterns = 10_000

// source is the schema of a version, and what is known of its values: objects are made of it.
type source struct {
	version  *apiserver.Version
	root     *node
	keysAt   map[*node][]string // of maps in given objects
	patterns map[string]*pattern
	words    []string
	decks    map[*node][]int // of wide.nextText
	labels   []string        // that modules read
	notes    []string        // annotations that modules read
}

func newSource(v *apiserver.Version) *source {
	return &source{version: v, root: compile(v.Schema), keysAt: map[*node][]string{}, patterns: map[string]*pattern{}, decks: map[*node][]int{}}
}

// pattern returns a compiled pattern; nil if it does not compile, or if there are too many.
func (s *source) pattern(text string) *pattern {
	p, known := s.patterns[text]
	if !known && len(s.patterns) < maxPatterns {
		p = newPattern(text)
		s.patterns[text] = p
	}
	return p
}

// LearnVersion adds the names of another version's fields where this version keeps fields that its schema
// does not name: users write those that they know.
func (s *source) LearnVersion(other *schema.Structural) { s.root.learnNames(other) }

func (n *node) learnNames(other *schema.Structural) {
	if other == nil || n.meta {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(other.Properties)) {
		property := other.Properties[name]
		if f := n.byName[name]; f != nil {
			f.learnNames(&property)
		} else if n.up != nil && n.s.XPreserveUnknownFields && !slices.Contains(n.others, name) {
			n.others = append(n.others, name)
		}
	}
	if n.items != nil {
		n.items.learnNames(other.Items)
	}
	if values := other.AdditionalProperties; n.values != nil && values != nil {
		n.values.learnNames(values.Structural)
	}
}

// LearnMetadata adds labels and annotations that modules read. Users write any text there.
func (s *source) LearnMetadata(labels, annotations []string) {
	s.labels, s.notes = append(s.labels, labels...), append(s.notes, annotations...)
}

// learn remembers the values and the keys of an object that was given.
func (s *source) learn(n *node, value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if f := n.byName[key]; f != nil {
				s.learn(f, v[key])
			} else if n.values != nil {
				s.learn(n.values, v[key])
				if known := s.keysAt[n]; len(known) < maxWords && !slices.Contains(known, key) {
					s.keysAt[n] = append(known, key)
				}
			}
		}
	case []any:
		if n.items != nil {
			for _, child := range v {
				s.learn(n.items, child)
			}
		}
	case nil:
	default:
		if !slices.Contains(n.words, value) {
			n.know(value)
		}
	}
}

// texts are strings that converters read wrongly: empty and long ones, other alphabets, escapes,
// text that looks like a number, a boolean, a list, a duration, a quantity, a host with a port.
var texts = []string{
	"a", "b", "example", "c", "Example", "é 漢字 😀", "tab\tquote\"backslash\\", "null", "true", "0", "01", "1.0", "1.50", "1e3",
	"9007199254740993", " leading", "trailing ", "a,b", "a=b", "a=b,c!=d", "key in (a, b)", "a b c", "a  b", "a/b", "a:b", "a.b", "-", "*",
	"90s", "1h30m", "1h30m0s", "60m", "1Gi", "1024Mi", "1000m", "0.5", "50%", "2024-02-29T23:59:59Z", "https://example.com:8443/a?b=c#d",
	"example.com:80", "[::1]:80", "10.0.0.1", "fd00::1", "*/5 * * * *", `{"a":1}`, "[1]", "<&>", "\u2028", "line\nline",
}

// formats are values of the formats that API servers check.
var formats = map[string][]string{
	"date-time":      {"2024-02-29T23:59:59Z", "1970-01-01T00:00:00Z", "2024-02-29T23:59:59.123456Z", "2024-02-29T23:59:59+05:30"},
	"datetime":       {"2024-02-29T23:59:59Z", "1970-01-01T00:00:00.000Z"},
	"date":           {"2024-02-29", "1970-01-01"},
	"duration":       {"90s", "1h30m", "0s", "1h30m0s", "60m", "500ms", "1.5h"},
	"email":          {"a@example.com"},
	"hostname":       {"example.com", "a"},
	"ipv4":           {"10.0.0.1", "0.0.0.0"},
	"ipv6":           {"fd00::1", "2001:db8:0:0:0:0:0:1"},
	"cidr":           {"10.0.0.0/8", "10.0.0.1/8", "fd00::/64"},
	"mac":            {"00:00:5e:00:53:01", "00-00-5E-00-53-01"},
	"uri":            {"https://example.com/a?b=c", "https://example.com", "/a"},
	"uuid":           {"f81d4fae-7dec-41d0-a765-00a0c91e6bf6", "F81D4FAE7DEC41D0A76500A0C91E6BF6"},
	"uuid3":          {"6fa459ea-ee8a-3ca4-894e-db77e160355e"},
	"uuid4":          {"f81d4fae-7dec-41d0-a765-00a0c91e6bf6"},
	"uuid5":          {"886313e1-3b8a-5372-9b90-0c9aee199e5d"},
	"isbn":           {"0321751043"},
	"isbn10":         {"0321751043"},
	"isbn13":         {"978-0321751041"},
	"creditcard":     {"4111111111111111"},
	"ssn":            {"123-45-6789"},
	"hexcolor":       {"#FFFFFF", "abc"},
	"rgbcolor":       {"rgb(255,0,0)"},
	"byte":           {"YQ==", "", "AAEC/w=="},
	"bsonobjectid":   {"507f1f77bcf86cd799439011"},
	"k8s-short-name": {"a", "a-0"},
	"k8s-long-name":  {"a", "a.b-c"},
}

// integers are boundary values of integers: of their types, ports, percentages.
var integers = []int64{
	0, 1, -1, 2, 3, 10, 42, 80, 100, 443, 8080, 65535, 65536, math.MaxInt32, math.MaxInt32 + 1, math.MinInt32, 1<<53 + 1, math.MaxInt64, math.MinInt64,
}

// fractions are boundary values of numbers.
var fractions = []float64{0.1, 1.5, -0.25, 0.5, 99.99, 1e-7, 1e21, 3.141592653589793}
