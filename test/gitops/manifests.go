package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// manifests reads the objects of all YAML files in a directory.
func manifests(dir string) (objects []*unstructured.Unstructured, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s has no manifests", dir)
	}
	for _, file := range files {
		found, failed := documents(file)
		objects, err = append(objects, found...), errors.Join(err, failed)
	}
	return objects, err
}

func documents(file string) (objects []*unstructured.Unstructured, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for decoder := yaml.NewYAMLOrJSONDecoder(f, 4096); ; {
		o := &unstructured.Unstructured{}
		switch err := decoder.Decode(&o.Object); {
		case errors.Is(err, io.EOF):
			return objects, nil
		case err != nil:
			return objects, fmt.Errorf("%s: %w", file, err)
		}
		if len(o.Object) > 0 {
			objects = append(objects, o)
		}
	}
}

// copies returns copies of objects: the engines write into theirs.
func copies(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	var all []*unstructured.Unstructured
	for _, o := range objects {
		all = append(all, o.DeepCopy())
	}
	return all
}
