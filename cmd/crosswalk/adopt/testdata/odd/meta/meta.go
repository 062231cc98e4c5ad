// Package meta has the metadata of objects.
package meta

type TypeMeta struct {
	Kind       string `json:"kind,omitempty"`
	APIVersion string `json:"apiVersion,omitempty"`
}

type ObjectMeta struct {
	Name string `json:"name,omitempty"`
}

// Hub is a version that others convert to.
type Hub interface{ Hub() }
