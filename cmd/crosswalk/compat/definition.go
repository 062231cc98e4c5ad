package compat

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
)

// Definitions compares the definitions of two files: those of one name, and the only ones that
// remain on each side. It asks the API server's validation about each definition first.
//
// The error is that of ctx.
func Definitions(ctx context.Context, before, after []definition.Definition) (all []Change, err error) {
	var oldRest, newRest []*crd
	add := func(old, new *crd) error {
		list, err := Compare(ctx, old, new)
		all = append(append(all, rejected(old, new)...), list...)
		return err
	}
	named := func(list []definition.Definition, as *crd) int {
		return slices.IndexFunc(list, func(d definition.Definition) bool { return Name(d.CRD) == Name(as) })
	}
	for _, old := range before {
		i := named(after, old.CRD)
		if i < 0 {
			oldRest = append(oldRest, old.CRD)
			continue
		}
		if err := add(old.CRD, after[i].CRD); err != nil {
			return nil, err
		}
	}
	for _, new := range after {
		if named(before, new.CRD) < 0 {
			newRest = append(newRest, new.CRD)
		}
	}
	if len(oldRest) == 1 && len(newRest) == 1 {
		err = add(oldRest[0], newRest[0])
	} else {
		for _, old := range oldRest {
			all = append(all, Change{Definition: Name(old), Rule: "definition-removed", Class: BreaksObjects,
				Text: "the definition is gone: deleting it deletes all its objects", Fix: "keep the definition, or delete it only after its last object"})
		}
	}
	sortChanges(all)
	return all, err
}

// rejected returns the API server's reasons to reject the creation of NEW, and those to reject only
// the update, in that order.
func rejected(old, new *crd) (list []Change) {
	var update []string
	if old.Name == new.Name {
		update = definition.RejectedUpdate(old, new)
	}
	creation := definition.Rejected(new)
	for _, why := range creation {
		list = append(list, Change{Definition: Name(old), Rule: "definition-rejected", Class: Rejected, Text: "the API server rejects the definition: " + why})
	}
	for _, why := range update {
		if slices.Contains(creation, why) {
			continue
		}
		fix := ""
		if strings.Contains(why, "immutable") {
			fix = newKind
		}
		list = append(list, Change{Definition: Name(old), Rule: "update-rejected", Class: Rejected, Text: "the API server rejects the update: " + why, Fix: fix})
	}
	return list
}

// Name returns <plural>.<group>, the name that a definition must have.
func Name(c *crd) string { return c.Spec.Names.Plural + "." + c.Spec.Group }

// Compare compares two definitions. Objects are those that an API server with OLD has stored.
//
// The error is that of ctx.
func Compare(ctx context.Context, old, new *crd) ([]Change, error) {
	c := &comparison{ctx: ctx, old: old, new: new}
	c.names()
	c.storage()
	for i := range old.Spec.Versions {
		v := &old.Spec.Versions[i]
		other := find(new, v.Name)
		if other == nil {
			c.removed(v)
			continue
		}
		c.version(v, other)
	}
	for _, v := range new.Spec.Versions {
		if find(old, v.Name) == nil {
			c.add(Change{Version: v.Name, Rule: "version-added", Class: Safe, Text: "the version is new"})
		}
	}
	sortChanges(c.found)
	return c.found, ctx.Err()
}

func find(c *crd, name string) *version {
	for i := range c.Spec.Versions {
		if c.Spec.Versions[i].Name == name {
			return &c.Spec.Versions[i]
		}
	}
	return nil
}

// storageOf returns the name of the version at which objects are stored.
func storageOf(c *crd) string {
	for _, v := range c.Spec.Versions {
		if v.Storage {
			return v.Name
		}
	}
	return ""
}

type comparison struct {
	ctx      context.Context
	old, new *crd
	found    []Change
}

func (c *comparison) add(change Change) {
	change.Definition = Name(c.old)
	c.found = append(c.found, change)
}

// stored reports whether objects may be stored at a version of OLD. Only a definition from a cluster
// says at which versions none are.
func (c *comparison) stored(version string) bool {
	list := c.old.Status.StoredVersions
	return len(list) == 0 || slices.Contains(list, version) || version == storageOf(c.old)
}

const newKind = "the API server does not allow the change: delete the definition with all its objects, or define another kind and copy the objects"

// names compares the parts of a definition that all its versions share.
func (c *comparison) names() {
	old, new := &c.old.Spec, &c.new.Spec
	changed := func(rule string, class Class, what, was, is, fix string) {
		if was != is {
			c.add(Change{Rule: rule, Class: class, Text: fmt.Sprintf("%s: %q became %q", what, was, is), Fix: fix})
		}
	}
	const discovery = "clients find the resource by this name: keep it"
	changed("group-changed", BreaksObjects, "group", old.Group, new.Group, newKind)
	changed("names-changed", BreaksObjects, "names.plural", old.Names.Plural, new.Names.Plural, newKind)
	lists := func(n *apiextensionsv1.CustomResourceDefinitionNames) string {
		if n.ListKind == "" {
			return n.Kind + "List"
		}
		return n.ListKind
	}
	singular := func(n *apiextensionsv1.CustomResourceDefinitionNames) string {
		if n.Singular == "" {
			return strings.ToLower(n.Kind)
		}
		return n.Singular
	}
	changed("names-changed", BreaksClients, "names.listKind", lists(&old.Names), lists(&new.Names), discovery)
	changed("names-changed", Behaviour, "names.singular", singular(&old.Names), singular(&new.Names), discovery)
	gone := func(what string, was, is []string) {
		for _, one := range was {
			if !slices.Contains(is, one) {
				c.add(Change{Rule: "names-changed", Class: Behaviour, Text: fmt.Sprintf("%s: %q is gone", what, one), Fix: discovery})
			}
		}
	}
	gone("names.shortNames", old.Names.ShortNames, new.Names.ShortNames)
	gone("names.categories", old.Names.Categories, new.Names.Categories)
}

// removed compares a version with nothing.
func (c *comparison) removed(v *version) {
	to := storageOf(c.new)
	if c.stored(v.Name) {
		text := "the version is gone, and objects may be stored at it"
		c.add(Change{Version: v.Name, To: to, Rule: "version-removed", Class: BreaksObjects, Text: text,
			Fix: fmt.Sprintf("rewrite the objects at %s first: crosswalk retire %s %s", cmp.Or(to, "another version"), Name(c.old), v.Name)})
	}
	if v.Served {
		c.unserved(v, "requests for the version fail: it is gone")
	} else if !c.stored(v.Name) {
		c.add(Change{Version: v.Name, Rule: "version-removed", Class: Safe, Text: "the version is gone; it was not served, and status.storedVersions does not have it"})
	}
}

func (c *comparison) unserved(v *version, text string) {
	fix := "serve it until its clients have moved, and announce that with deprecated: true"
	if v.Deprecated {
		fix = "it was deprecated: make sure that its clients have moved (crosswalk plan " + Name(c.old) + " --remove " + v.Name + " names them)"
	}
	c.add(Change{Version: v.Name, Rule: "version-unserved", Class: BreaksClients, Text: text, Fix: fix})
}

// storage compares the version at which objects are stored, and the way in which they are converted.
func (c *comparison) storage() {
	was, is := storageOf(c.old), storageOf(c.new)
	webhook := func(d *crd) bool {
		return d.Spec.Conversion != nil && d.Spec.Conversion.Strategy == apiextensionsv1.WebhookConverter
	}
	if was != is && is != "" && find(c.new, was) != nil {
		change := Change{Version: was, To: is, Rule: "storage-changed", Class: Behaviour,
			Text: fmt.Sprintf("objects are stored at %s, no longer at %s", is, was)}
		if !webhook(c.new) {
			if worst := c.between(find(c.old, was), find(c.new, is)); worst != nil {
				change.Class = BreaksObjects
				change.Text += fmt.Sprintf(", and nothing converts them: %s: %s", orObject(worst.Path), worst.Text)
				change.Fix = "attach a conversion before this change (crosswalk attach), and name its module with --module"
			}
		}
		c.add(change)
	}
	switch {
	case webhook(c.old) && !webhook(c.new) && len(c.new.Spec.Versions) > 1:
		for i := range c.new.Spec.Versions {
			v := find(c.old, c.new.Spec.Versions[i].Name)
			if v == nil || v.Name == is {
				continue
			}
			if worst := c.between(v, find(c.new, is)); worst != nil {
				c.add(Change{Version: v.Name, To: is, Rule: "conversion-removed", Class: BreaksObjects,
					Text: fmt.Sprintf("spec.conversion no longer names a webhook, and %s and %s differ: %s: %s", v.Name, is, orObject(worst.Path), worst.Text),
					Fix:  "keep spec.conversion, or attach it with the same change (crosswalk attach --print)"})
			}
		}
	case !webhook(c.old) && webhook(c.new):
		c.add(Change{Rule: "conversion-added", Class: Behaviour, Text: "a webhook converts between versions: while it is unavailable, requests for other versions fail"})
	}
}

func orObject(path string) string {
	if path == "" {
		return "the object"
	}
	return path
}

// between returns the worst change that breaks an object of one version that becomes an object of
// another without a conversion; nil if there is none.
func (c *comparison) between(from, to *version) *Change {
	if from == nil || to == nil {
		return nil
	}
	w := walker{ctx: c.ctx}
	w.value(schemaOf(c.old, from), schemaOf(c.new, to))
	sortChanges(w.found)
	if len(w.found) == 0 || w.found[0].Class != BreaksObjects {
		return nil
	}
	return &w.found[0]
}

// version compares two versions of one name.
func (c *comparison) version(old, new *version) {
	if !old.Served && !c.stored(old.Name) {
		return // nobody sees it
	}
	if old.Served && !new.Served {
		c.unserved(old, "the version is no longer served")
	}
	if !old.Deprecated && new.Deprecated {
		c.add(Change{Version: old.Name, Rule: "version-deprecated", Class: Behaviour, Text: "the version is deprecated: API servers warn its clients"})
	}
	c.subresources(old, new)
	if !slices.Equal(old.AdditionalPrinterColumns, new.AdditionalPrinterColumns) {
		c.add(Change{Version: old.Name, Rule: "printed-columns", Class: Behaviour, Text: "kubectl get prints other columns"})
	}
	for _, f := range old.SelectableFields {
		if !slices.Contains(new.SelectableFields, f) {
			c.add(Change{Version: old.Name, Path: strings.TrimPrefix(f.JSONPath, "."), Rule: "selectable-fields", Class: BreaksClients,
				Text: "the field is not in selectableFields: requests that select by it fail", Fix: "keep the field in selectableFields"})
		}
	}
	w := walker{ctx: c.ctx}
	w.value(schemaOf(c.old, old), schemaOf(c.new, new))
	for _, change := range w.found {
		change.Version = old.Name
		if change.Class == BreaksObjects && !c.stored(old.Name) {
			change.Class = BreaksClients
		}
		c.add(change)
	}
}
