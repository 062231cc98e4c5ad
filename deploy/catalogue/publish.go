package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/oci"
)

// publish pushes the entries, writes the pages, and pushes the index with them. The index comes last:
// it never names an image that is not there.
func (o options) publish(ctx context.Context, operators []*operator, entries []*entry) error {
	registry := oci.Registry{Certificates: oci.DefaultCertificates, UserAgent: "crosswalk-catalogue"}
	var index Index
	for _, e := range entries {
		if len(e.Reasons) == 0 {
			if err := o.push(ctx, registry, e); err != nil {
				return err
			}
		}
		index.Entries = append(index.Entries, e.Entry)
	}
	dir := filepath.Join(o.out, "index")
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755), os.MkdirAll(o.pages, 0o755)); err != nil {
		return err
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(index); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, File), text.Bytes(), 0o644); err != nil {
		return err
	}
	for _, op := range operators {
		content := []byte(page(op, index))
		name := op.page() + ".md"
		if err := errors.Join(os.WriteFile(filepath.Join(dir, name), content, 0o644), os.WriteFile(filepath.Join(o.pages, name), content, 0o644)); err != nil {
			return err
		}
	}
	files, err := oci.Files(dir)
	if err != nil {
		return err
	}
	pushed, err := oci.Push(ctx, registry, o.registry+"/"+Repository+":"+Tag, files, ArtifactType)
	if err != nil {
		return err
	}
	fmt.Fprintln(o.log, "published", pushed)
	return nil
}

// push pushes the files of an entry.
func (o options) push(ctx context.Context, registry oci.Registry, e *entry) error {
	files, err := oci.Files(e.dir)
	if err != nil {
		return err
	}
	pushed, err := oci.Push(ctx, registry, o.registry+"/"+e.Repository+":"+e.Version, files, oci.ArtifactType)
	if err != nil {
		return err
	}
	_, e.Digest, _ = strings.Cut(pushed, "@")
	for _, f := range files {
		e.Size += f.Size
	}
	fmt.Fprintln(o.log, "published", pushed)
	return nil
}
