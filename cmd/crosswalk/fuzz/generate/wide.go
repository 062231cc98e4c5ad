package generate

import (
	"fmt"
	"math/rand/v2"
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
var wideCounts = []int{4, 5, 6, 7, 8, 9, 12, 16, 17, 20, 33, 65}

// wideLengths are lengths of texts: those at which names, labels, keys and buffers end, and one more.
var wideLengths = []int{8, 15, 16, 17, 31, 32, 33, 62, 63, 64, 65, 100, 127, 128, 253, 254, 255, 256, 1024, 1025}

// longest is the length of the longest text.
const longest = 64 << 10

// wideTexts are texts that a conversion may treat in another way than others: usual values, other
// ends of lines, other spellings of quantities and durations, names of members in JavaScript.
var wideTexts = []string{
	"main", "default", "latest", "none", "auto", "1024Ki", "line\r\nline", "__proto__", // see wide.word
	"master", "None", "kube-system", "localhost", "admin", "root", "test", "false", "False", "yes", "no", "on", "off", "Always", "Never",
	"line\r\n", "line\n", "\r", "a\tb", "1048576", "1e6", "0.5Gi", "1000Mi", "1.0", "+1", "-1", "0x10", "1_000", "90m", "24h", "1440m", "86400s", "0", "00:00", "P1D",
	"constructor", "a.b.c", "a..b", "a//b", "../a", "a%2Fb", "a\\b", "'a'", "a;b", "a|b", "a:b:c", "a=b=c", "a, b", "A", "ÀÉ", "ß", "e\u0301", "\u00a0", "\ufeffa", "${a}", "{{a}}", "#a", "@a", "~", "&a", "!a", "undefined", "NaN", "Infinity",
	"500ms", "100%", "a\u200bb", "a\x1b[0mb", "שלום", "1.50", "a  b", strings.Repeat("a", 62) + "😀b", // of which 63 units end within a character
}

// wideKeys are names of members, labels and annotations.
var wideKeys = []string{"__proto__", "constructor", "toString", "a.b", "a.b/c", "main", "default", "name", "value", "0", "1", "A", "a", "é", "", "a-b", "a_b"}

// wide draws the values of wide objects.
type wide struct {
	*source
	rand *rand.Rand
	on   bool // the object is one: see wideEvery
}

// wideCount is the number of elements of a list or a map: of one of three, many.
func (m *maker) wideCount(count int) int {
	if m.wide.on && m.budget > 0 && m.rand.IntN(3) == 0 {
		return wideCounts[m.rand.IntN(len(wideCounts))]
	}
	return count
}

// text returns a text for most values of a wide object.
func (w *wide) text(n *node, fits func(string) bool) (string, bool) {
	if !w.on {
		return "", false
	}
	for range 3 {
		s := ""
		switch w.rand.IntN(8) {
		case 0, 1, 2, 3:
			s = w.nextText(n)
		case 4, 5, 6:
			s = w.word()
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
func (w *wide) nextText(n *node) string {
	deck, again := w.decks[n]
	if len(deck) == 0 {
		cards := len(wideTexts) + len(wideLengths)
		if !again {
			cards++
		}
		deck = w.rand.Perm(cards)
	}
	card := deck[0]
	w.decks[n] = deck[1:]
	switch card -= len(wideTexts); {
	case card < 0:
		return wideTexts[card+len(wideTexts)]
	case card < len(wideLengths):
		return w.longText(wideLengths[card])
	}
	return w.longText(longest) // once for a field: it takes as long as hundreds of others
}

// word returns a word of the dictionary, or a text that some converters treat as no other: one of
// three times one of the first, which are the most frequent in converters.
func (w *wide) word() string {
	if n := len(w.words); n > 0 && w.rand.IntN(3) > 0 {
		if w.rand.IntN(4) > 0 {
			n = min(n, firstWords)
		}
		return w.words[w.rand.IntN(n)]
	}
	const first = 8
	if w.rand.IntN(2) == 0 {
		return wideTexts[w.rand.IntN(first)]
	}
	return wideTexts[w.rand.IntN(len(wideTexts))]
}

// longText returns a text of a length, whose characters tell where it was cut.
func (w *wide) longText(length int) string {
	var b strings.Builder
	for b.Len() < length {
		fmt.Fprintf(&b, "%c%d", 'a'+rune(w.rand.IntN(26)), b.Len())
	}
	return b.String()[:length]
}

// key returns a name of a member; "" for the usual ones.
func (w *wide) key() (string, bool) {
	if !w.on || w.rand.IntN(2) == 0 {
		return "", false
	}
	switch w.rand.IntN(4) {
	case 0:
		return w.longText(wideLengths[w.rand.IntN(len(wideLengths))]), true
	case 1:
		return w.word(), true
	}
	return wideKeys[w.rand.IntN(len(wideKeys))], true
}

// lastApplied is the annotation of kubectl apply.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// metadata draws the metadata of a wide object: as an API server accepts it.
func (w *wide) metadata(meta map[string]any) {
	meta["name"] = []string{"fuzz.example.com", "a.b.c", "0", "fuzz-0", strings.ReplaceAll(w.longText(63), ".", "a"), w.longText(253), "default", "main"}[w.rand.IntN(8)]
	if meta["namespace"] != nil && w.rand.IntN(2) == 0 {
		meta["namespace"] = []string{"kube-system", "main", "a-b", w.longText(63)}[w.rand.IntN(4)]
	}
	labels := map[string]any{}
	for range w.rand.IntN(6) {
		value := []string{"main", "default", "", "A.b_c-d", "1", "true", w.longText(63)}[w.rand.IntN(7)]
		labels[[]string{"app", "app.kubernetes.io/managed-by", "example.com/a.b", "tier", "env", w.longText(63), w.longText(60) + ".com/" + w.longText(63)}[w.rand.IntN(7)]] = value
	}
	if len(labels) > 0 {
		meta["labels"] = labels
	}
	annotations := map[string]any{}
	for range w.rand.IntN(5) {
		text := w.word()
		switch w.rand.IntN(4) {
		case 0:
			text = w.longText(wideLengths[w.rand.IntN(len(wideLengths))])
		case 1:
			text = `{"a":[1,{"b":"c"}]}`
		}
		annotations[[]string{"a", "example.com/a", "example.com/" + w.longText(63), "argocd.argoproj.io/sync-wave", "deployment.kubernetes.io/revision"}[w.rand.IntN(5)]] = text
	}
	if w.rand.IntN(2) == 0 {
		annotations[lastApplied] = `{"apiVersion":"` + w.version.APIVersion + `","kind":"` + w.version.Kind + `","metadata":{"annotations":{},"name":"fuzz"},"spec":{}}` + "\n"
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
func (s *source) Learn(words []string) {
	s.words = append(s.words, words[:min(len(words), maxDictionary)]...)
}
