package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	core "k8s.io/api/core/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
)

// copySuffix ends the name of a copy.
const copySuffix = ".crd.yaml"

// maxDefinitions is the size of all copies in bytes: API servers accept 1 MiB in a ConfigMap.
const maxDefinitions = 1<<20 - 16<<10

// maxKey is the length of a key of a ConfigMap. A definition's name alone may have as many bytes,
// and one copy with too long a name would make API servers refuse all.
const maxKey = 253

// copyDefinitions writes the definitions of all targets to the ConfigMap, as the files that the
// gateway checks objects and its readiness with. If not all fit, it leaves out the largest, and
// returns their names. The copies of definitions that could not be read stay as they are.
func (k *keeper) copyDefinitions(ctx context.Context, targets []*attach.Target, unread []string) (left []string, err error) {
	if k.definitions == "" {
		return nil, nil
	}
	files, attached := map[string]string{}, map[string]bool{}
	for _, t := range targets {
		for _, crd := range t.Definitions {
			text, err := definitionText(crd)
			if err != nil {
				return nil, err
			}
			files[crd.Name+copySuffix] = text
			attached[crd.Name+copySuffix] = k.attached.has(t)
		}
	}
	found := &core.ConfigMap{}
	err = k.client.Get(ctx, client.ObjectKey{Namespace: k.namespace, Name: k.definitions}, found)
	if err != nil && !apierrors.IsNotFound(err) {
		return fit(files, maxDefinitions, attached), fmt.Errorf("reading ConfigMap %s: %w", k.definitions, err)
	}
	for _, name := range unread {
		if text, ok := found.Data[name+copySuffix]; ok && files[name+copySuffix] == "" {
			files[name+copySuffix], attached[name+copySuffix] = text, true
		}
	}
	left = fit(files, maxDefinitions, attached)
	if err != nil {
		err = k.client.Create(ctx, &core.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: k.namespace, Name: k.definitions}, Data: files})
	} else if !maps.Equal(found.Data, files) {
		found.Data = files
		err = k.client.Update(ctx, found)
	}
	if err != nil {
		return left, fmt.Errorf("writing ConfigMap %s: %w", k.definitions, err)
	}
	return left, nil
}

// notCopied returns the sentence about those definitions of a target that have no copy; "" if all
// have one.
func (k *keeper) notCopied(t *attach.Target, left []string) string {
	var names []string
	for _, crd := range t.Definitions {
		if slices.Contains(left, crd.Name+copySuffix) {
			names = append(names, crd.Name+copySuffix)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("the gateway does not check objects with this definition: ConfigMap %s has no room for %s (1 MiB for all copies, %d bytes for a name); deliver the file with the modules, in a ConfigMap of its own or an image",
		k.definitions, strings.Join(names, " and "), maxKey)
}

// definitionText returns the part of a definition that the gateway reads, as JSON, which is YAML.
func definitionText(crd *apiextensions.CustomResourceDefinition) (string, error) {
	spec := crd.Spec.DeepCopy()
	spec.Conversion = nil // its CA changes, and the gateway has no use for it
	text, err := json.Marshal(map[string]any{
		"apiVersion": definitionKind.GroupVersion().String(), "kind": definitionKind.Kind,
		"metadata": map[string]any{"name": crd.Name}, "spec": spec,
	})
	return string(text), err
}

// fit removes files until the rest has at most a number of bytes, and files with names that a ConfigMap
// cannot have. Files of attached definitions have room before others. Of both, the API group with the
// fewest bytes is next, with its smallest file, so that a team's many definitions take no room that
// another team's need. It returns the names of those removed.
func fit(files map[string]string, most int, attached map[string]bool) (left []string) {
	total := 0
	for _, first := range []bool{true, false} {
		waiting, used := map[string][]string{}, map[string]int{} // by group
		for _, name := range slices.SortedFunc(maps.Keys(files), func(a, b string) int {
			return cmp.Or(cmp.Compare(len(files[a]), len(files[b])), strings.Compare(a, b))
		}) {
			if attached[name] == first {
				waiting[groupOf(name)] = append(waiting[groupOf(name)], name)
			}
		}
		for len(waiting) > 0 {
			group := slices.MinFunc(slices.Collect(maps.Keys(waiting)), func(a, b string) int {
				with := func(g string) int { return used[g] + len(files[waiting[g][0]]) }
				return cmp.Or(cmp.Compare(with(a), with(b)), strings.Compare(a, b))
			})
			name := waiting[group][0]
			if waiting[group] = waiting[group][1:]; len(waiting[group]) == 0 {
				delete(waiting, group)
			}
			size := len(name) + len(files[name])
			if len(name) > maxKey || total+size > most {
				left = append(left, name)
				delete(files, name)
				continue
			}
			total += size
			used[group] += size
		}
	}
	slices.Sort(left)
	return left
}

// groupOf returns the API group in the name of a copy.
func groupOf(name string) string {
	_, group, _ := strings.Cut(name, ".")
	return group
}
