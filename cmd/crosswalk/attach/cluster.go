// Package attach connects CustomResourceDefinitions in a cluster to the gateway. It writes
// spec.conversion, after a test of the gateway with the very same configuration, removes it again,
// and explains why conversions fail. It reads and writes through an API server only: the gateway
// is reached through port forwarding, so nothing but a kubeconfig is needed.
package attach

import (
	"io"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/bounded"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// Cluster is an API server. It is safe for concurrent use. Its own methods change definitions, and it reads
// them and their objects.
type Cluster struct {
	reader
	Probe    examiner // tests of the gateway with a definition's objects
	Policies enforcer // admission policies of attach --convertible
}

// ForClient returns a Cluster for a client of an API server. Without a configuration it has no port
// forwarding: it is for Direct tests of a gateway, or for URLs.
func ForClient(client dynamic.Interface) *Cluster { return newCluster(client, nil) }

// NewCluster returns a client for the API server of a configuration. Each request ends with its Timeout,
// by default two minutes, or if the answer has more than 256 MiB.
func NewCluster(config *rest.Config) (*Cluster, error) {
	config = withBounds(config)
	if config.QPS == 0 {
		config.QPS, config.Burst = 50, 100 // the default of 5 requests a second is for controllers
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return newCluster(client, config), nil
}

func newCluster(client dynamic.Interface, config *rest.Config) *Cluster {
	r := reader{client, config}
	return &Cluster{r, examiner{reader: r}, enforcer{client}}
}

const (
	// requestTime bounds a request to an API server, with its repetitions: API servers themselves end
	// a request after a minute, and a page of objects takes a while over a slow network.
	requestTime = 2 * time.Minute
	// maxResponse bounds the answer to a request: a page has at most 100 objects of 1.5 MB.
	maxResponse = 256 << 20
)

// codecs reads the API server's own types. The scheme of client-go's typed client would link all of
// k8s.io/api, 8 MB.
var codecs = func() serializer.CodecFactory {
	known := runtime.NewScheme()
	metav1.AddToGroupVersion(known, schema.GroupVersion{Version: "v1"})
	return serializer.NewCodecFactory(known)
}()

// withBounds returns a copy of a configuration with bounds for each request. A Timeout that it has stays.
func withBounds(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	if config.Timeout == 0 {
		config.Timeout = requestTime
	}
	config.Wrap(func(below http.RoundTripper) http.RoundTripper { return boundedTransport{below, maxResponse} })
	return config
}

// boundedTransport ends answers that are too long.
type boundedTransport struct {
	below http.RoundTripper
	most  int64
}

// WrappedRoundTripper is how client-go finds the TLS configuration.
func (b boundedTransport) WrappedRoundTripper() http.RoundTripper { return b.below }

// RoundTrip implements http.RoundTripper.
func (b boundedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := b.below.RoundTrip(request)
	if err == nil && response.StatusCode != http.StatusSwitchingProtocols {
		response.Body = bounded.Body(response.Body, b.most, "the API server's answer")
	}
	return response, err
}

// Warnings returns a handler that writes the warnings of API servers, each once.
func Warnings(to io.Writer) rest.WarningHandler {
	return warnings{rest.NewWarningWriter(to, rest.WarningWriterOptions{Deduplicate: true})}
}

type warnings struct{ below rest.WarningHandler }

// HandleWarningHeader implements rest.WarningHandler.
func (w warnings) HandleWarningHeader(code int, agent, text string) {
	w.below.HandleWarningHeader(code, agent, foreign.Printable(text, maxText))
}

// cleaned is an error with text of a server, which is shown cleaned and cut.
type cleaned struct{ error }

// Error returns the text.
func (c cleaned) Error() string { return foreign.Clean(c.error.Error(), maxText) }

// Unwrap returns the error itself.
func (c cleaned) Unwrap() error { return c.error }
