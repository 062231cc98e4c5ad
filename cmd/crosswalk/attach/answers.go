package attach

import (
	"io"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/bounded"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

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
