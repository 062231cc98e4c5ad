package adopttest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	mutatedPaths   = 300 // of one object with many members: each absent, and each null
	maxDifferences = 5   // in a report, for each direction
	// panicking is how many objects that make the operator's code panic are given to the module. A
	// module that fails five times in a row is not called any more.
	panicking = 4
)

// comparison is one direction between two versions.
type comparison struct {
	kind     Kind
	from, to Version
	r        *rand.Rand
	given    inputs
	structs  []reflect.Type // of the version converted from
	repeated int            // objects that were converted again for the module
	largest  float64        // the largest number of an object
	wide     bool           // the search goes on with rare changes; see corpus.search
}

// run compares one direction for each module. It reports differences of the first, and goes on to
// the end. With -short it measures no times.
func (c *comparison) run(t *testing.T, modules []string) (pairs []Pair) {
	t.Helper()
	c.largest = largestNumber()
	all, found := c.collect(t)
	var objects, failing []object
	for _, o := range all {
		if o.panicked != "" {
			failing = append(failing, o)
		} else {
			objects = append(objects, o)
		}
	}
	failing = failing[:min(len(failing), panicking)]
	for i, module := range modules {
		pair := found.pair(c)
		switch err := c.against(module, objects, failing, &pair); {
		case err != nil && i == 0:
			t.Fatal(err)
		case err != nil: // it cannot be loaded
			pair.note(&Difference{Module: err.Error()})
		}
		pairs = append(pairs, pair)
	}
	pair := &pairs[0]
	for _, d := range pair.Differences {
		t.Errorf("%s\nthe module:         %s\nthe operator's code: %s\nobject: %s", cmp.Or(d.Path, "(the whole result)"), d.Module, d.Want, d.Object)
	}
	if pair.Differing > len(pair.Differences) {
		t.Errorf("%d objects differ", pair.Differing)
	}
	if testing.Short() {
		return pairs
	}
	pair.Sample = c.sample(t)
	pair.Native, pair.NativeInAList = c.measure(t, pair.Sample, runs, 1, 100), c.measure(t, pair.Sample, listRuns, 1000, 1)
	return pairs
}

// against compares the results of a module.
func (c *comparison) against(module string, objects, failing []object, pair *Pair) error {
	c.repeated = 0
	answers, err := c.module(module, append(objects[:len(objects):len(objects)], failing...))
	if err != nil {
		return err
	}
	for i, o := range objects {
		pair.Compared++
		if o.refusal != "" {
			pair.Refused++
		}
		if o.given {
			pair.Given++
		}
		pair.noteUnseen(o.unseen)
		difference, unstable := c.compare(o, answers[i])
		if unstable != "" {
			pair.Unstable++
			if !slices.Contains(pair.UnstableAt, unstable) {
				pair.UnstableAt = append(pair.UnstableAt, unstable)
			}
		}
		pair.note(difference)
	}
	for i, o := range failing {
		if a := answers[len(objects)+i]; a.refusal == "" {
			pair.note(&Difference{Module: string(a.text), Want: "a panic: " + o.panicked, Object: string(o.text)})
		}
	}
	return nil
}

// note counts a difference, and keeps it if it is among the first at its path.
func (p *Pair) note(d *Difference) {
	if d == nil {
		return
	}
	p.Differing++
	same := func(other Difference) bool { return place(other.Path) == place(d.Path) }
	if len(p.Differences) < maxDifferences && !slices.ContainsFunc(p.Differences, same) {
		d.Object = shorten(d.Object, 2000)
		p.Differences = append(p.Differences, *d)
	}
}

// shorten cuts a text for a message.
func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// moreRuns is how often the operator's code converts an object again until a result is the module's.
// Go takes two elements of a map in one order seven times of eight: of 200 runs, all are the same
// once in 300,000 million times.
const moreRuns = 200

// maxRepeated is how many objects that differ are converted again for a module. When so many differ,
// the module is not equal, and of others the order of lists does not count.
const maxRepeated = 5

// compare compares a module's answer with the results of the operator's code. unstable is the path
// at which these differ from each other.
func (c *comparison) compare(o object, a answer) (d *Difference, unstable string) {
	if len(o.wants) > 1 {
		unstable = place(firstDifference(o.wants[0], o.wants[1], "").Path)
	}
	whole := func(module, want string) *Difference {
		return &Difference{Module: shorten(module, 1000), Want: shorten(want, 1000), Object: string(o.text)}
	}
	if a.refusal != "" {
		if want := compareRefusal(o, a.refusal); want != "" {
			return whole("refused: "+a.refusal, want), unstable
		}
		return nil, unstable
	}
	if len(o.wants) == 0 {
		return whole(string(a.text), "refused: "+o.refusal), unstable
	}
	raw, err := decodeObject(a.text)
	if err != nil {
		return whole(string(a.text), shown(o.wants[0])), unstable
	}
	if version := raw["apiVersion"]; version != c.to.apiVersion {
		return &Difference{Path: "apiVersion", Module: shown(version), Want: shown(c.to.apiVersion), Object: string(o.text)}, unstable
	}
	got, err := c.normal(a.text, o.fragment)
	if err != nil {
		return whole("the types do not take the result: "+err.Error()+": "+string(a.text), shown(o.wants[0])), unstable
	}
	same := func(got, want any) bool { return reflect.DeepEqual(got, want) }
	if o.fragment {
		nothing := c.nothing(o.text)
		same = func(got, want any) bool { return equalBut(got, want, nothing) }
	}
	for tries := 0; ; tries++ {
		for _, want := range o.wants {
			if same(got, want) {
				return nil, unstable
			}
		}
		if c.repeated >= maxRepeated || tries >= moreRuns || c.again(&o) != nil {
			break
		}
	}
	want := o.wants[0]
	if len(o.wants) > 1 {
		unstable = place(firstDifference(o.wants[0], o.wants[1], "").Path)
	}
	if len(o.wants) > 1 || c.repeated >= maxRepeated { // there may be more orders than runs
		if got, want = unordered(got), unordered(want); same(got, want) {
			return nil, unstable
		}
	}
	c.repeated++
	d = firstDifference(got, want, "")
	d.Object = string(o.text)
	if o.fragment {
		d.Object = "the fragment " + d.Object
	}
	return d, unstable
}

// nothing returns the result of the operator's code for an object with nothing but a fragment's
// metadata: of a fragment's result, the members that are alike there may be missing, except for the
// fragment's own labels and annotations. It is nil if the operator's code refuses such an object; only
// empty members may be missing then.
func (c *comparison) nothing(fragment []byte) any {
	whole, err := decodeObject(fragment)
	if err != nil {
		return nil
	}
	bare := object{text: encode(map[string]any{"apiVersion": whole["apiVersion"], "kind": whole["kind"], "metadata": whole["metadata"]}), fragment: true}
	if err := c.again(&bare); err != nil || len(bare.wants) == 0 {
		return nil
	}
	metadata, _ := whole["metadata"].(map[string]any)
	result, _ := bare.wants[0].(map[string]any)
	for _, name := range []string{"labels", "annotations"} {
		own, _ := metadata[name].(map[string]any)
		there, _ := result["metadata."+name].(map[string]any)
		for key, value := range own {
			if there[key] == value {
				there[key] = struct{}{} // like no value of a result
			}
		}
	}
	return result
}

// equalBut reports whether got is want, but for members that are as in nothing, or empty if nothing
// is nil.
func equalBut(got, want, nothing any) bool {
	g, ok := got.(map[string]any)
	w, both := want.(map[string]any)
	if !ok || !both {
		return reflect.DeepEqual(got, want) || unasked(want, nothing)
	}
	n, _ := nothing.(map[string]any)
	for name := range g {
		if _, ok := w[name]; !ok {
			return false
		}
	}
	for name, member := range w {
		there, ok := g[name]
		var inside any
		if nothing != nil {
			inside = n[name]
		}
		if !ok && !unasked(member, inside) || ok && !equalBut(there, member, inside) {
			return false
		}
	}
	return true
}

// unasked reports whether the types write a value for an object that does not have it.
func unasked(v, nothing any) bool {
	if nothing != nil {
		return reflect.DeepEqual(v, nothing)
	}
	return empty(v)
}

// empty reports whether a decoded value is one that types write for their zero value.
func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case bool:
		return !v
	case string:
		return v == "" || v == "0s" || v == "0"
	case json.Number:
		return v == "0"
	case []any:
		return len(v) == 0
	case map[string]any:
		for _, inner := range v {
			if !empty(inner) {
				return false
			}
		}
		return true
	}
	return false
}

// compareRefusal compares a module's refusal with the result of the operator's code, which may be a
// refusal, too. It returns "" if they agree, and otherwise the operator's result as a text.
func compareRefusal(o object, refusal string) (want string) {
	switch {
	case o.refusal == "":
		return shown(o.wants[0])
	case strings.HasPrefix(o.refusal, decoding), strings.HasPrefix(o.refusal, answerRefused): // the module has words of its own for these
		return ""
	case strings.Contains(refusal, ": "+strings.TrimSpace(o.refusal)+" [refused by module "): // a gateway trims it, too
		return ""
	}
	if at := wordsOfJSON.FindStringIndex(o.refusal); at != nil && strings.Contains(refusal, ": "+o.refusal[:at[0]]+"json: ") {
		return ""
	}
	return "refused: " + o.refusal
}

// wordsOfJSON begin an error of encoding/json. They name other places in other releases of Go, and in
// Kubernetes' copy, so the module has words of its own for these errors, after "json: ".
var wordsOfJSON = regexp.MustCompile(`json: |invalid character '|unexpected end of JSON input|exceeded max depth`)

// answerRefused begins the text of a refusal by the API server, of an answer that the operator's webhook
// gives.
const answerRefused = "an API server refuses the webhook's answer: "

// identity is the metadata that a webhook must return as it was.
type identity struct {
	APIVersion, Kind string
	Metadata         struct {
		Name, Namespace, UID string
		Labels, Annotations  map[string]any
	}
}

// checkMetadata returns an API server's error for a result whose name, namespace or uid is not that of
// the object, that is not of the version, or that has other labels or annotations, which are invalid. A
// gateway restores the first, and would serve what the operator's webhook fails.
func (c *comparison) checkMetadata(text, result []byte, to Version) error {
	var was, is identity
	if err := errors.Join(json.Unmarshal(text, &was), json.Unmarshal(result, &is)); err != nil {
		return fmt.Errorf(answerRefused+"its metadata cannot be read: %w", err)
	}
	if c.kind.TypeMeta {
		was.APIVersion = to.apiVersion
	} else {
		was.APIVersion, was.Kind = is.APIVersion, is.Kind
	}
	for _, member := range []struct{ name, was, is string }{
		{"groupVersion", was.APIVersion, is.APIVersion},
		{"kind", was.Kind, is.Kind},
		{"name", was.Metadata.Name, is.Metadata.Name},
		{"namespace", was.Metadata.Namespace, is.Metadata.Namespace},
		{"UID", was.Metadata.UID, is.Metadata.UID},
	} {
		if member.was != member.is {
			return fmt.Errorf(answerRefused+"must have the same %s: %s != %q", member.name, member.was, member.is)
		}
	}
	if err := checkKeys("labels", was.Metadata.Labels, is.Metadata.Labels); err != nil {
		return err
	}
	return checkKeys("annotations", was.Metadata.Annotations, is.Metadata.Annotations)
}

var (
	labelName = regexp.MustCompile(`^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$`)
	subdomain = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
)

// maxAnnotations is the limit of API servers for all annotations of an object, in bytes.
const maxAnnotations = 256 << 10

// checkKeys returns an API server's error for labels or annotations. Those that the result leaves as they
// were are not checked: rules may have become stricter since the object was stored.
func checkKeys(name string, was, is map[string]any) error {
	size, changed := 0, len(was) != len(is)
	for key, value := range is {
		changed = changed || was[key] != value
	}
	for _, key := range sortedKeys(is) {
		value, ok := is[key].(string)
		size += len(key) + len(value)
		prefix, last, prefixed := strings.Cut(key, "/")
		if !prefixed {
			last = prefix
		} else if name == "annotations" {
			prefix = strings.ToLower(prefix)
		}
		valid := len(last) <= 63 && labelName.MatchString(last) && (!prefixed || len(prefix) <= 253 && subdomain.MatchString(prefix))
		if name == "labels" {
			valid = valid && len(value) <= 63 && (value == "" || labelName.MatchString(value))
		}
		if !ok || changed && !valid {
			return fmt.Errorf(answerRefused+"it has an invalid metadata.%s[%q]", name, key)
		}
	}
	if name == "annotations" && changed && size > maxAnnotations {
		return fmt.Errorf(answerRefused+"its annotations have more than %d bytes", maxAnnotations)
	}
	return nil
}
