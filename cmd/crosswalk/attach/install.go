package attach

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"time"

	core "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// maxConfigMap is the limit of API servers for all values of a ConfigMap together, in bytes, before
// base64: MaxSecretSize of k8s.io/kubernetes/pkg/apis/core, which applies to ConfigMaps, too.
const maxConfigMap = 1 << 20

// Modules are files for a gateway's ConfigMap.
type Modules struct {
	Owner string // of the files among those in the ConfigMap, such as bgppeer.metallb.io
	Files map[string][]byte
}

// Install writes modules into a ConfigMap, beside the files of others, and reports whether that
// changes the ConfigMap; with dryRun it writes nothing. A new version of the same owner replaces its previous one.
//
// # Errors
//
// All files together are too large for a ConfigMap; or the ConfigMap would have files that its
// SHA256SUMS does not list, which gateways would ignore.
func (c *Cluster) Install(ctx context.Context, namespace, name string, m Modules, dryRun bool) (changed bool, err error) {
	client := c.dynamic.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace(namespace)
	old := &core.ConfigMap{}
	before := ""
	switch found, err := client.Get(ctx, name, metav1.GetOptions{}); {
	case err == nil:
		if old, err = decode[core.ConfigMap](found); err != nil {
			return false, err
		}
		before = found.GetResourceVersion()
	case !apierrors.IsNotFound(err):
		return false, fmt.Errorf("reading ConfigMap %s/%s: %w", namespace, name, err)
	}
	if err := m.fits(old); err != nil {
		return false, fmt.Errorf("ConfigMap %s/%s: %w", namespace, name, err)
	}
	data := map[string]any{}
	for file, content := range m.Files {
		data[file] = base64.StdEncoding.EncodeToString(content)
	}
	options := metav1.ApplyOptions{FieldManager: Manager + "-" + m.Owner, Force: true} // fits has checked the result
	if dryRun {
		options.DryRun = []string{metav1.DryRunAll}
	}
	after, err := client.Apply(ctx, name, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata":   map[string]any{"name": name, "namespace": namespace},
		"binaryData": data,
	}}, options)
	if err != nil {
		return false, fmt.Errorf("writing ConfigMap %s/%s: %w", namespace, name, err)
	}
	if !dryRun {
		return after.GetResourceVersion() != before, nil
	}
	planned, err := decode[core.ConfigMap](after) // a dry run keeps the resource version
	if err != nil {
		return false, err
	}
	return before == "" || !maps.EqualFunc(old.BinaryData, planned.BinaryData, bytes.Equal), nil
}

// fits returns an error if a ConfigMap with the modules would be too large, or have files that a
// gateway ignores.
func (m Modules) fits(old *core.ConfigMap) error {
	all := map[string][]byte{}
	for file, content := range old.Data {
		all[file] = []byte(content)
	}
	maps.Copy(all, old.BinaryData)
	maps.Copy(all, m.Files)
	var snapshot watch.Snapshot
	total := 0
	for _, file := range slices.Sorted(maps.Keys(all)) {
		content := all[file]
		total += len(content)
		snapshot.Files = append(snapshot.Files, watch.File{Name: file, Content: content, Sum: sha256.Sum256(content)})
	}
	if total > maxConfigMap {
		return fmt.Errorf("with the files of %s it would have %d bytes; a ConfigMap may have %d: let the pods pull the entry (modules.sidecar.entries of the chart, or crosswalk pull)", m.Owner, total, maxConfigMap)
	}
	check := sums.Of(snapshot, nil, false)
	for _, f := range snapshot.Files {
		if sums.Is(f.Name) {
			continue
		}
		if err := check.File(f); err != nil {
			return fmt.Errorf("gateways would ignore %s beside the files of %s: %w; use another ConfigMap, or pull the entry and sign a release of your own", f.Name, m.Owner, err)
		}
	}
	return nil
}

// installTime is how long Await waits: a kubelet updates a volume within 90 seconds, and a module
// loads in some seconds.
const installTime, installPause = 3 * time.Minute, 3 * time.Second

// Await waits until the gateway converts a target with a stanza, and returns the last checks.
func (c *Cluster) Await(ctx context.Context, t *Target, g Gateway) Checks {
	for deadline := time.Now().Add(installTime); ; {
		checks := c.Examine(ctx, t, g.Stanza())
		if checks.Err() == nil || time.Now().After(deadline) || sleep(ctx, installPause) != nil {
			return checks
		}
	}
}
