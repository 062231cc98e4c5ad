package generate

import (
	"fmt"
	"strings"
)

// Every wideEvery-th random object is wide: it has longer lists, maps and texts, and words that
// others do not have. A conversion may be wrong for these alone.
const wideEvery = 2

// firstWide is the number of objects before the first wide one: frequent mistakes show with small
// objects, which shrink to smaller ones.
const firstWide = 600

// wideBudget is how many values a wide object has, about.
const wideBudget = 2 * maxValues

// counts are lengths of lists and maps: beyond the few that people try, and beyond powers of two.
var wideCounts = []int{4, 5, 6, 8, 9, 12, 16, 17, 20, 33, 65}

// wideLengths are lengths of texts: those at which names, labels, keys and buffers end, and one more.
var wideLengths = []int{8, 15, 16, 17, 31, 32, 33, 62, 63, 64, 65, 100, 127, 128, 253, 254, 255, 256, 1024, 1025}

// wideTexts are texts that a conversion may treat in another way than others: usual values, other
// ends of lines, other spellings of quantities and durations, names of members in JavaScript.
var wideTexts = []string{
	"main", "default", "latest", "none", "auto", "1024Ki", "line\r\nline", "__proto__", // see wideWord
	"master", "None", "kube-system", "localhost", "admin", "root", "test", "false", "False", "yes", "no", "on", "off", "Always", "Never",
	"line\r\n", "line\n", "\r", "a\tb", "1048576", "1e6", "0.5Gi", "1000Mi", "1.0", "+1", "-1", "0x10", "1_000", "90m", "24h", "1440m", "86400s", "0", "00:00", "P1D",
	"constructor", "a.b.c", "a..b", "a//b", "../a", "a%2Fb", "a\\b", "'a'", "a;b", "a|b", "a:b:c", "a=b=c", "a, b", "A", "ÀÉ", "ß", "e\u0301", "\u00a0", "\ufeffa", "${a}", "{{a}}", "#a", "@a", "~", "&a", "!a", "undefined", "NaN", "Infinity",
}

// wideKeys are names of members, labels and annotations.
var wideKeys = []string{"__proto__", "constructor", "toString", "a.b", "a.b/c", "main", "default", "name", "value", "0", "1", "A", "a", "é", "", "a-b", "a_b"}

// wideCount is the number of elements of a list or a map: of one of three, many.
func (m *maker) wideCount(count int) int {
	if m.wide && m.budget > 0 && m.rand.IntN(3) == 0 {
		return wideCounts[m.rand.IntN(len(wideCounts))]
	}
	return count
}

// wideText returns a text for most values of a wide object.
func (m *maker) wideText(n *node, fits func(string) bool) (string, bool) {
	if !m.wide {
		return "", false
	}
	for range 3 {
		s := ""
		switch m.rand.IntN(8) {
		case 0, 1, 2, 3:
			s = m.nextText(n)
		case 4, 5, 6:
			s = m.wideWord()
		default:
			return "", false
		}
		if fits(s) {
			return s, true
		}
	}
	return "", false
}

// nextText returns the next of wideTexts and of texts of wideLengths for a field: each field gets all
// of them, in an order of its own, before it gets one again. Chance would miss one of a hundred texts
// in some of a hundred runs.
func (m *maker) nextText(n *node) string {
	deck := m.g.decks[n]
	if len(deck) == 0 {
		deck = m.rand.Perm(len(wideTexts) + len(wideLengths))
	}
	card := deck[0]
	m.g.decks[n] = deck[1:]
	if card < len(wideTexts) {
		return wideTexts[card]
	}
	return m.longText(wideLengths[card-len(wideTexts)])
}

// wideWord returns a word of the dictionary, or a text that some converters treat as no other: one of
// three times one of the first, which are the most frequent in converters.
func (m *maker) wideWord() string {
	if n := len(m.g.words); n > 0 && m.rand.IntN(3) > 0 {
		if m.rand.IntN(4) > 0 {
			n = min(n, firstWords)
		}
		return m.g.words[m.rand.IntN(n)]
	}
	const first = 8
	if m.rand.IntN(2) == 0 {
		return wideTexts[m.rand.IntN(first)]
	}
	return wideTexts[m.rand.IntN(len(wideTexts))]
}

// longText returns a text of a length, whose characters tell where it was cut.
func (m *maker) longText(length int) string {
	var b strings.Builder
	for b.Len() < length {
		fmt.Fprintf(&b, "%c%d", 'a'+rune(m.rand.IntN(26)), b.Len())
	}
	return b.String()[:length]
}

// wideKey returns a name of a member; "" for the usual ones.
func (m *maker) wideKey() (string, bool) {
	if !m.wide || m.rand.IntN(2) == 0 {
		return "", false
	}
	switch m.rand.IntN(4) {
	case 0:
		return m.longText(wideLengths[m.rand.IntN(len(wideLengths))]), true
	case 1:
		return m.wideWord(), true
	}
	return wideKeys[m.rand.IntN(len(wideKeys))], true
}

// lastApplied is the annotation of kubectl apply.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// wideMetadata draws the metadata of a wide object: as an API server accepts it.
func (m *maker) wideMetadata(meta map[string]any) {
	meta["name"] = []string{"fuzz.example.com", "a.b.c", "0", "fuzz-0", strings.ReplaceAll(m.longText(63), ".", "a"), m.longText(253), "default", "main"}[m.rand.IntN(8)]
	if meta["namespace"] != nil && m.rand.IntN(2) == 0 {
		meta["namespace"] = []string{"kube-system", "main", "a-b", m.longText(63)}[m.rand.IntN(4)]
	}
	labels := map[string]any{}
	for range m.rand.IntN(6) {
		value := []string{"main", "default", "", "a.b_c-d", "1", "true", m.longText(63)}[m.rand.IntN(7)]
		labels[[]string{"app", "app.kubernetes.io/managed-by", "example.com/a.b", "tier", "env", m.longText(63), m.longText(60) + ".com/" + m.longText(63)}[m.rand.IntN(7)]] = value
	}
	if len(labels) > 0 {
		meta["labels"] = labels
	}
	annotations := map[string]any{}
	for range m.rand.IntN(5) {
		text := m.wideWord()
		switch m.rand.IntN(4) {
		case 0:
			text = m.longText(wideLengths[m.rand.IntN(len(wideLengths))])
		case 1:
			text = `{"a":[1,{"b":"c"}]}`
		}
		annotations[[]string{"a", "example.com/a", "example.com/" + m.longText(63), "kubernetes.io/change-cause", "deployment.kubernetes.io/revision"}[m.rand.IntN(5)]] = text
	}
	if m.rand.IntN(2) == 0 {
		annotations[lastApplied] = `{"apiVersion":"` + m.g.version.APIVersion + `","kind":"` + m.g.version.Kind + `","metadata":{"annotations":{},"name":"fuzz"},"spec":{}}` + "\n"
	}
	if len(annotations) > 0 {
		meta["annotations"] = annotations
	}
}

const (
	// maxDictionary bounds the words of a dictionary.
	maxDictionary = 4000
	// firstWords is the number of words that are drawn more often.
	firstWords = 64
)

// Learn adds words for texts of some objects, the most probable ones first.
func (g *Generator) Learn(words []string) {
	g.words = append(g.words, words[:min(len(words), maxDictionary)]...)
}
