// Command mistakes has converters with famous mistakes, converters with others, and a correct one; the
// kind of an object selects the converter. Objects of real definitions come back unchanged. See the
// README.
package main

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
)

const group = "mistakes.example.com/"

func init() {
	crosswalk.Describe(crosswalk.Description{Name: "mistakes", Version: "1.0.0"})
	crosswalk.Register(group+"v1", group+"v2", func(o *crosswalk.Object) error { return convert(o, upgrades) })
	crosswalk.Register(group+"v2", group+"v1", func(o *crosswalk.Object) error { return convert(o, downgrades) })
	for _, way := range [][2]string{{"v1", "v3"}, {"v3", "v1"}, {"v2", "v3"}, {"v3", "v2"}} {
		crosswalk.Register(group+way[0], group+way[1], func(o *crosswalk.Object) error { return convert(o, detours[way]) })
	}
	for _, real := range [][]string{
		{"cluster.x-k8s.io/", "v1beta1", "v1beta2"}, {"tekton.dev/", "v1beta1", "v1"},
		{"monitoring.coreos.com/", "v1alpha1", "v1beta1"}, {"cert-manager.io/", "v1alpha2", "v1alpha3", "v1beta1", "v1"},
	} {
		for _, from := range real[1:] {
			for _, to := range real[1:] {
				if from != to {
					crosswalk.Register(real[0]+from, real[0]+to, func(*crosswalk.Object) error { return nil })
				}
			}
		}
	}
}

func main() {}

func convert(o *crosswalk.Object, all map[string]func(*crosswalk.Object) error) error {
	if f := all[o.Kind()]; f != nil {
		return f(o)
	}
	return nil
}

var upgrades = map[string]func(*crosswalk.Object) error{
	"ListEntry":           copyPorts,
	"LargeInteger":        throughFloat,
	"EnumDefault":         setPolicy,
	"LabelSelector":       selectorToText,
	"DurationText":        durationToSeconds,
	"MapOrder":            mapToList,
	"StatusDropped":       func(o *crosswalk.Object) error { o.Remove("status"); return nil },
	"AnnotationSwallowed": func(o *crosswalk.Object) error { o.Remove("metadata", "annotations"); return nil },
	"EmptyList":           dropEmptyList,
	"UnionBranch":         copySource,
	"FieldRemoved": func(o *crosswalk.Object) error {
		o.Remove("spec", "interface")
		o.Remove("spec", "vlan")
		o.Remove("spec", "dhcp")
		return nil
	},
	"FirstOnly":  keepFirst,
	"ZeroValues": writeLikeGo,
	"Correct":    func(o *crosswalk.Object) error { o.Rename(crosswalk.Path{"spec", "size"}, "replicas"); return nil },
	"Stale":      keepSize,
	"Counter":    count,
	"Refuses":    refuse,
	"Invents":    invent,
	"Grows":      grow,
	"Hidden":     func(o *crosswalk.Object) error { keepSize(o); return restore(o, keptInV2) },
	"Cuts":       func(o *crosswalk.Object) error { o.SetBool(crosswalk.Path{"spec", "suspended"}, true); return nil },
	"Crashes":    crash,
	"Renames": func(o *crosswalk.Object) error {
		o.SetString(crosswalk.Path{"metadata", "name"}, "renamed")
		return nil
	},
	"Ages":        func(o *crosswalk.Object) error { o.SetInt(crosswalk.Path{"metadata", "generation"}, 7); return nil },
	"Undeclared":  nameThePaused,
	"Rejects":     func(o *crosswalk.Object) error { return nil },
	"StaleDetour": keepSize,
}

var downgrades = map[string]func(*crosswalk.Object) error{
	"LabelSelector": selectorFromText,
	"DurationText":  durationFromSeconds,
	"MapOrder":      listToMap,
	"Correct":       func(o *crosswalk.Object) error { o.Rename(crosswalk.Path{"spec", "replicas"}, "size"); return nil },
	"Stale":         restoreSize,
	"FirstOnly":     restoreFirst,
	"Invents":       func(o *crosswalk.Object) error { o.Remove("spec", "paused"); return nil },
	"Grows":         shrink,
	"Hidden":        func(o *crosswalk.Object) error { keep(o, keptInV2); return restoreSize(o) },
	"StaleDetour":   func(o *crosswalk.Object) error { o.RemoveAnnotation(kept); return nil },
}

// detours are the conversions to and from v3.
var detours = map[[2]string]map[string]func(*crosswalk.Object) error{
	{"v1", "v3"}: {"Detour": func(o *crosswalk.Object) error { o.Rename(crosswalk.Path{"spec", "paused"}, "ready"); return nil }},
	{"v3", "v1"}: {"StaleDetour": restoreSize},
}

const kept = "conversion.mistakes.example.com/size"

// keptInV2 is for the size of v2.
const keptInV2 = "conversion.mistakes.example.com/size-in-v2"

// keepSize keeps the size in an annotation, and restoreSize restores it whether it changed or not.
func keepSize(o *crosswalk.Object) error {
	keep(o, kept)
	return nil
}

func restoreSize(o *crosswalk.Object) error { return restore(o, kept) }

func keep(o *crosswalk.Object, annotation string) {
	size, ok := o.Raw("spec", "size")
	if !ok {
		size = []byte("none")
	}
	o.SetAnnotation(annotation, string(size))
}

func restore(o *crosswalk.Object, annotation string) error {
	size, ok := o.Annotation(annotation)
	switch {
	case !ok:
		return nil
	case size == "none":
		o.Remove("spec", "size")
	default:
		o.SetRaw(crosswalk.Path{"spec", "size"}, []byte(size))
	}
	o.RemoveAnnotation(annotation)
	return nil
}

func crash(o *crosswalk.Object) error {
	if size, ok, _ := o.Int("spec", "size"); ok && size > 65535 {
		panic("a size of more than 16 bits")
	}
	return nil
}

// nameThePaused writes a field that its sidecar declares from one that it does not declare.
func nameThePaused(o *crosswalk.Object) error {
	if _, named := o.Get("spec", "name"); named {
		o.SetBool(crosswalk.Path{"spec", "paused"}, true)
	}
	return nil
}

var converted int64

// count writes how many objects the instance has converted.
func count(o *crosswalk.Object) error {
	if converted++; converted > 1 {
		o.SetInt(crosswalk.Path{"spec", "size"}, converted)
	}
	return nil
}

func refuse(o *crosswalk.Object) error {
	if size, ok, _ := o.Int("spec", "size"); ok && size > 65535 {
		return crosswalk.Errorf("%s must be a port", o.Location("spec", "size"))
	}
	return nil
}

func invent(o *crosswalk.Object) error {
	_, whole := o.Get("spec")
	if _, paused := o.Get("spec", "paused"); whole && !paused {
		o.SetBool(crosswalk.Path{"spec", "paused"}, false)
	}
	return nil
}

// grow writes the text of a field three times, and shrink reads it once.
func grow(o *crosswalk.Object) error {
	if name, ok, _ := o.String("spec", "name"); ok {
		o.SetString(crosswalk.Path{"spec", "name"}, name+name+name)
	}
	return nil
}

func shrink(o *crosswalk.Object) error {
	if name, ok, _ := o.String("spec", "name"); ok {
		o.SetString(crosswalk.Path{"spec", "name"}, name[:len(name)/3])
	}
	return nil
}

func copyPorts(o *crosswalk.Object) error {
	for _, port := range o.Elements("spec", "ports") {
		port.Remove("protocol")
	}
	return nil
}

func throughFloat(o *crosswalk.Object) error {
	raw, ok := o.Raw("spec", "limit")
	if !ok {
		return nil
	}
	limit, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return err
	}
	o.SetRaw(crosswalk.Path{"spec", "limit"}, strconv.AppendFloat(nil, limit, 'f', -1, 64))
	return nil
}

func setPolicy(o *crosswalk.Object) error {
	if _, ok := o.Get("spec"); ok {
		o.DefaultString(crosswalk.Path{"spec", "policy"}, "Delete")
	}
	return nil
}

func selectorToText(o *crosswalk.Object) error {
	if _, ok := o.Get("spec", "selector"); !ok {
		return nil
	}
	var terms []string
	for key, value := range o.Members("spec", "selector", "matchLabels") {
		text, _, err := value.String()
		if err != nil {
			return err
		}
		terms = append(terms, key+"="+text)
	}
	o.SetString(crosswalk.Path{"spec", "selector"}, strings.Join(terms, ","))
	return nil
}

func selectorFromText(o *crosswalk.Object) error {
	text, ok, err := o.String("spec", "selector")
	if err != nil || !ok {
		return err
	}
	o.SetRaw(crosswalk.Path{"spec", "selector"}, []byte("{}"))
	for _, term := range strings.Split(text, ",") {
		if key, value, ok := strings.Cut(term, "="); ok {
			o.SetString(crosswalk.Path{"spec", "selector", "matchLabels", key}, value)
		}
	}
	return nil
}

func durationToSeconds(o *crosswalk.Object) error {
	text, ok, err := o.String("spec", "timeout")
	if err != nil || !ok {
		return err
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return err
	}
	o.Remove("spec", "timeout")
	o.SetInt(crosswalk.Path{"spec", "timeoutSeconds"}, int64(d/time.Second))
	return nil
}

func durationFromSeconds(o *crosswalk.Object) error {
	seconds, ok, err := o.Int("spec", "timeoutSeconds")
	if err != nil || !ok {
		return err
	}
	o.Remove("spec", "timeoutSeconds")
	o.SetString(crosswalk.Path{"spec", "timeout"}, (time.Duration(seconds) * time.Second).String())
	return nil
}

func mapToList(o *crosswalk.Object) error {
	if _, ok := o.Get("spec", "env"); !ok {
		return nil
	}
	type variable struct{ name, value string }
	var all []variable
	for key, value := range o.Members("spec", "env") {
		text, _, err := value.String()
		if err != nil {
			return err
		}
		all = append(all, variable{key, text})
	}
	slices.SortFunc(all, func(a, b variable) int { return strings.Compare(a.name, b.name) })
	list := []byte{'['}
	for i, v := range all {
		if i > 0 {
			list = append(list, ',')
		}
		list = crosswalk.Quote(append(list, `{"name":`...), v.name)
		list = append(crosswalk.Quote(append(list, `,"value":`...), v.value), '}')
	}
	o.SetRaw(crosswalk.Path{"spec", "env"}, append(list, ']'))
	return nil
}

func listToMap(o *crosswalk.Object) error {
	list, ok := o.Get("spec", "env")
	if !ok {
		return nil
	}
	env := map[string]string{}
	for _, v := range list.Elements() {
		name, _, _ := v.String("name")
		env[name], _, _ = v.String("value")
	}
	o.SetRaw(crosswalk.Path{"spec", "env"}, []byte("{}"))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		o.SetString(crosswalk.Path{"spec", "env", name}, env[name])
	}
	return nil
}

func dropEmptyList(o *crosswalk.Object) error {
	for range o.Elements("spec", "hosts") {
		return nil
	}
	o.Remove("spec", "hosts")
	return nil
}

func copySource(o *crosswalk.Object) error {
	source, ok := o.Get("spec", "source")
	if !ok {
		return nil
	}
	copied := []byte("{}")
	for _, branch := range []string{"git", "http"} {
		if raw, ok := source.Raw(branch); ok {
			copied = append(append(append(append([]byte(`{"`), branch...), `":`...), raw...), '}')
		}
	}
	o.SetRaw(crosswalk.Path{"spec", "source"}, copied)
	return nil
}

// keepFirst turns a list into its first element, and restoreFirst turns it back.
func keepFirst(o *crosswalk.Object) error {
	for _, host := range o.Elements("spec", "hosts") {
		text, _, err := host.String()
		if err != nil {
			return err
		}
		o.SetString(crosswalk.Path{"spec", "host"}, text)
		break
	}
	o.Remove("spec", "hosts")
	return nil
}

func restoreFirst(o *crosswalk.Object) error {
	if host, ok := o.Raw("spec", "host"); ok {
		o.SetRaw(crosswalk.Path{"spec", "hosts"}, append(append([]byte{'['}, host...), ']'))
		o.Remove("spec", "host")
	}
	return nil
}

// writeLikeGo omits an empty name and a size of zero, and writes paused if it is absent, as
// encoding/json does for fields with and without omitempty. It loses all rules.
func writeLikeGo(o *crosswalk.Object) error {
	if _, ok := o.Get("spec"); !ok {
		return nil
	}
	if name, ok, _ := o.String("spec", "name"); ok && name == "" {
		o.Remove("spec", "name")
	}
	if size, ok, _ := o.Int("spec", "size"); ok && size == 0 {
		o.Remove("spec", "size")
	}
	if _, ok := o.Get("spec", "paused"); !ok {
		o.SetBool(crosswalk.Path{"spec", "paused"}, false)
	}
	o.Remove("spec", "rules")
	return nil
}
