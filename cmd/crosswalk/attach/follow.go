package attach

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// effectTime is the time within which API servers follow a change of a definition.
const effectTime = time.Minute

// connections is the number of connections on which API servers are asked what they know. If a load
// balancer gives each connection to one of two at random, one in 128 runs meets only one of them.
const connections = 8

// knowledge is what API servers must know of a definition.
type knowledge struct {
	lack string // completes "an API server that …"
	says func(*apiextensions.CustomResourceDefinition) bool
	ask  func(context.Context, *rest.Config, *http.Client) (known bool, err error)
}

// follow waits until all API servers that it meets know a change of a definition. One that does not
// know that another version is stored goes on to write objects in the old one: nobody can read
// them when that is gone, and not even the definition can be deleted then.
func (c *reader) follow(ctx context.Context, crd *apiextensions.CustomResourceDefinition, report func(Progress), k knowledge) error {
	lines := &progress{report: report, last: time.Now(), quiet: progressTime / 2}
	for deadline := time.Now().Add(effectTime); ; {
		behind, err := c.behind(ctx, k)
		switch {
		case err == nil && behind == 0:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && (time.Now().After(deadline) || errors.As(err, new(apierrors.APIStatus)) && !later(err)):
			return fmt.Errorf("asking all API servers whether they know the change of %s: %w", crd.Name, err)
		case time.Now().After(deadline):
			return fmt.Errorf("%s was changed, and %d of %d connections still lead to an API server that %s: look for its watch of etcd in its log, restart it, then run the command again", crd.Name, behind, connections, k.lack)
		}
		if now, err := c.current(ctx, crd); err != nil || !k.says(now) {
			return err // somebody took the change back, which the caller finds
		}
		lines.line(func() Progress {
			if err != nil {
				return Progress{Text: "asking all API servers again: " + foreign.Clean(err.Error(), maxText)}
			}
			return Progress{Text: fmt.Sprintf("waiting: %d of %d connections lead to an API server that %s", behind, connections, k.lack)}
		})
		if err := sleep(ctx, time.Second/2); err != nil {
			return err
		}
	}
}

// behind counts the connections that lead to an API server without the knowledge. The error is that of
// a connection on which none could be asked.
func (c *reader) behind(ctx context.Context, k knowledge) (behind int, err error) {
	for range connections {
		config := freshConfig(c.config)
		client, err := rest.HTTPClientFor(config)
		if err != nil {
			return 0, err
		}
		known, err := k.ask(ctx, config, client)
		utilnet.CloseIdleConnectionsFor(client.Transport)
		if err != nil {
			return 0, err
		}
		if !known {
			behind++
		}
	}
	return behind, nil
}

// freshConfig returns a configuration with which each client has connections of its own.
func freshConfig(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	if config.Dial == nil {
		config.Dial = (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	} // client-go gives each client with a dialer its own transport
	return config
}

// serves is the knowledge that a version is served.
func serves(crd *apiextensions.CustomResourceDefinition, version string) knowledge {
	says := func(now *apiextensions.CustomResourceDefinition) bool { return slices.Contains(served(now), version) }
	return knowledge{"does not serve " + version, says, func(ctx context.Context, config *rest.Config, client *http.Client) (bool, error) {
		return finds(ctx, config, client, crd, version)
	}}
}

// lacks is the knowledge that a version is not served.
func lacks(crd *apiextensions.CustomResourceDefinition, version string) knowledge {
	says := func(now *apiextensions.CustomResourceDefinition) bool { return !slices.Contains(served(now), version) }
	return knowledge{"serves " + version, says, func(ctx context.Context, config *rest.Config, client *http.Client) (bool, error) {
		found, err := finds(ctx, config, client, crd, version)
		return !found, err
	}}
}

// finds reports whether an API server serves a version, even if not all objects can be read at it.
func finds(ctx context.Context, config *rest.Config, client *http.Client, crd *apiextensions.CustomResourceDefinition, version string) (bool, error) {
	api, err := dynamic.NewForConfigAndClient(config, client)
	if err != nil {
		return false, err
	}
	_, err = api.Resource(objectsResource(crd, version)).List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil && !errors.As(err, new(apierrors.APIStatus)) {
		return false, err
	}
	return !apierrors.IsNotFound(err), nil
}

// stores is the knowledge that a version is the storage version. Discovery has the version's hash if it
// is served and the API server has not turned that off; one without a hash is taken to know.
func stores(crd *apiextensions.CustomResourceDefinition, version string) knowledge {
	group, others := crd.Spec.Group, map[string]bool{}
	for _, v := range named(crd) {
		others[storageHash(group, v, crd.Spec.Names.Kind)] = v != version
	}
	at := version
	if !slices.Contains(served(crd), at) {
		at = ReadVersion(crd)
	}
	says := func(now *apiextensions.CustomResourceDefinition) bool { return storage(now) == version }
	return knowledge{"does not store in " + version, says, func(ctx context.Context, config *rest.Config, client *http.Client) (bool, error) {
		config.NegotiatedSerializer = codecs
		d, err := rest.UnversionedRESTClientForConfigAndClient(config, client)
		if err != nil {
			return false, err
		}
		var list metav1.APIResourceList
		err = d.Get().AbsPath("/apis", group, at).Do(ctx).Into(&list)
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		i := slices.IndexFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Name == crd.Spec.Names.Plural })
		return i >= 0 && !others[list.APIResources[i].StorageVersionHash], nil
	}}
}

// storageHash is the storageVersionHash of Kubernetes (StorageVersionHash of
// k8s.io/apiserver/pkg/endpoints/discovery v0.37.2). If a later one computes it in another way, it is
// the hash of no known version.
func storageHash(group, version, kind string) string {
	sum := sha256.Sum256([]byte(group + "/" + version + "/" + kind))
	return base64.StdEncoding.EncodeToString(sum[:8])
}
