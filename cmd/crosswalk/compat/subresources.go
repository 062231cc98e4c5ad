package compat

import (
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// subresources compares the subresources of a version.
func (c *comparison) subresources(old, new *version) {
	add := func(class Class, path, text, fix string) {
		c.add(Change{Version: old.Name, Path: path, Rule: "subresource-changed", Class: class, Text: text, Fix: fix})
	}
	oldStatus, newStatus := old.Subresources != nil && old.Subresources.Status != nil, new.Subresources != nil && new.Subresources.Status != nil
	switch {
	case oldStatus && !newStatus:
		add(BreaksClients, "status", "the subresource status is gone: requests for it fail, and writes of the object change the status", "keep the subresource")
	case !oldStatus && newStatus:
		add(BreaksClients, "status", "the subresource status is new: writes of the object no longer change the status", "let clients write the status to the subresource first")
	}
	oldScale, newScale := scaleOf(old), scaleOf(new)
	switch {
	case oldScale != nil && newScale == nil:
		add(BreaksClients, "", "the subresource scale is gone: requests for it fail", "keep the subresource")
	case newScale != nil:
		for _, path := range []string{newScale.SpecReplicasPath, newScale.StatusReplicasPath} {
			path = strings.TrimPrefix(path, ".")
			if oldScale != nil && (path == strings.TrimPrefix(oldScale.SpecReplicasPath, ".") || path == strings.TrimPrefix(oldScale.StatusReplicasPath, ".")) {
				continue
			}
			if !replicas(schemaOf(c.old, old), strings.Split(path, ".")) {
				add(BreaksObjects, path, "the subresource scale uses the field: the API server rejects values below 0 or of more than 32 bits", "give the field minimum: 0 and format: int32 in the previous release")
			}
		}
		switch {
		case oldScale == nil:
			add(Safe, "", "the subresource scale is new", "")
		case oldScale.SpecReplicasPath != newScale.SpecReplicasPath || oldScale.StatusReplicasPath != newScale.StatusReplicasPath || text(oldScale.LabelSelectorPath) != text(newScale.LabelSelectorPath):
			add(Behaviour, "", "the subresource scale uses other fields", "")
		}
	}
}

func scaleOf(v *version) *apiextensionsv1.CustomResourceSubresourceScale {
	if v.Subresources == nil {
		return nil
	}
	return v.Subresources.Scale
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// replicas reports whether the schema has only values for a field that the subresource scale
// accepts. A field that the schema does not have is never stored.
func replicas(s *props, path []string) bool {
	for i, step := range path {
		if keeps(s) || s.AdditionalProperties != nil {
			return false
		}
		next, has := s.Properties[step]
		if !has {
			return true
		}
		if i == len(path)-1 {
			return next.Type == "integer" && next.Minimum != nil && *next.Minimum >= 0 && (next.Format == "int32" || next.Maximum != nil && *next.Maximum <= 1<<31-1)
		}
		s = &next
	}
	return false
}
