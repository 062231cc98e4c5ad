package operate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/catalogue"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/oci"
)

// catalogueFlags name a catalogue, and the ConfigMap for its modules.
type catalogueFlags struct {
	name, configMap string
	registry        oci.Flags
}

func (f *catalogueFlags) flags(flags *pflag.FlagSet) {
	flags.StringVar(&f.name, "catalogue", "", "`REGISTRY/PATH` of a catalogue: first write its modules of the definitions to the gateway's ConfigMap")
	flags.StringVar(&f.configMap, "configmap", "crosswalk-modules", "`NAME` of the ConfigMap for modules of --catalogue, in the namespace of the Service")
	f.registry.Declare(flags)
}

// install writes the modules of a target's kinds into the gateway's ConfigMap, and waits until the
// gateway has a change of it. It returns the result as one check, and whether the gateway lacks a change
// because of dryRun.
func (f *catalogueFlags) install(ctx context.Context, c *attach.Cluster, index *catalogue.Index, t *attach.Target, g attach.Gateway, dryRun bool) (check attach.Check, pending bool, err error) {
	var lines []string
	for _, crd := range t.Definitions {
		entry, err := index.Find(crd.Spec.Names.Kind, crd.Spec.Group)
		if err != nil {
			return attach.Check{}, false, err
		}
		for _, v := range crd.Spec.Versions {
			if v.Served && !slices.Contains(entry.Versions, v.Name) {
				return attach.Check{}, false, fmt.Errorf("%s of %s %s converts %s, and the definition also serves %s: choose a catalogue for its operator's version", entry.Name(), entry.Operator, entry.Version, strings.Join(entry.Versions, ", "), v.Name)
			}
		}
		ref := f.name + "/" + entry.Repository + "@" + entry.Digest
		files, err := pullEntry(ctx, f.registry.Registry(), ref)
		if err != nil {
			return attach.Check{}, false, err
		}
		changed, err := c.Install(ctx, g.Namespace, f.configMap, attach.Modules{Owner: entry.Repository, Files: files}, dryRun)
		if err != nil {
			return attach.Check{}, false, err
		}
		pending = pending || changed
		did := "already has"
		switch {
		case changed && dryRun:
			did = "would write"
		case changed:
			did = "wrote"
		}
		lines = append(lines, fmt.Sprintf("ConfigMap %s/%s: %s %s, %s %s", g.Namespace, f.configMap, did, ref, entry.Operator, entry.Version))
	}
	if pending && !dryRun {
		c.Await(ctx, t, g) // Attach reports the checks
		pending = false
	}
	return attach.Check{Name: "catalogue", Result: attach.Passed, Text: strings.Join(lines, "\n")}, pending, nil
}

// pullEntry returns the files of an entry.
func pullEntry(ctx context.Context, r oci.Registry, ref string) (map[string][]byte, error) {
	dir, err := os.MkdirTemp("", "crosswalk-entry")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if _, err := oci.Pull(ctx, r, []string{ref}, dir); err != nil {
		return nil, err
	}
	list, err := oci.Files(dir)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, f := range list {
		if files[f.Name], err = os.ReadFile(filepath.Join(dir, f.Name)); err != nil {
			return nil, err
		}
	}
	return files, nil
}
