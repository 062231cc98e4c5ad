package attach

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync/atomic"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

const (
	// callTime is the limit of API servers for a conversion.
	callTime = 30 * time.Second
	// maxAnswer bounds an answer's bytes: one object, of which etcd stores 1.5 MB, or an error
	// page.
	maxAnswer = 16 << 20
	// maxText bounds the text of an answer in a message.
	maxText = 2 << 10
	// maxHeaders bounds the headers of an answer, which errors quote.
	maxHeaders = 64 << 10
)

// probe calls one endpoint as an API server does. It is not safe for concurrent use.
type probe struct {
	client *http.Client
	first  atomic.Pointer[tls.Conn] // the connection of newProbe, until the client takes it
	url    string
	review string // apiVersion of ConversionReviews
}

// newProbe connects to an endpoint and reports on its certificate. It returns nil if that fails.
// Call close when done.
func newProbe(ctx context.Context, e endpoint, client *apiextensions.WebhookClientConfig, review string, checks *Checks) *probe {
	name := "TLS at " + e.name
	roots, err := pool(client.CABundle)
	if err != nil {
		checks.fail("caBundle", "put the CA of the gateway's certificate there", "%v", err)
		return nil
	}
	config := &tls.Config{ServerName: serverName(client), RootCAs: roots, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	dialed, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	raw, err := e.dial(dialed)
	if err != nil {
		checks.fail("connection to "+e.name, "see whether the gateway listens on this port", "%v", err)
		return nil
	}
	conn := tls.Client(raw, config)
	if err := conn.HandshakeContext(dialed); err != nil {
		_ = raw.Close()
		text, remedy := explainTLS(err, config.ServerName)
		checks.fail(name, remedy, "%s", text)
		return nil
	}
	leaf := conn.ConnectionState().PeerCertificates[0]
	left := time.Until(leaf.NotAfter)
	text := fmt.Sprintf("the certificate is valid for %s until %s", config.ServerName, leaf.NotAfter.UTC().Format("2006-01-02 15:04 MST"))
	if lifetime := leaf.NotAfter.Sub(leaf.NotBefore); left < lifetime/10 {
		checks.warn(name, "renew it", "%s, for another %s", text, left.Round(time.Minute))
	} else {
		checks.pass(name, "%s", text)
	}
	p := &probe{url: at(client), review: "apiextensions.k8s.io/" + review}
	p.first.Store(conn)
	p.client = &http.Client{
		Transport: &http.Transport{
			DialTLSContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				if c := p.first.Swap(nil); c != nil {
					return c, nil
				}
				raw, err := e.dial(ctx)
				if err != nil {
					return nil, err
				}
				again := tls.Client(raw, config)
				if err := again.HandshakeContext(ctx); err != nil {
					_ = raw.Close()
					return nil, err
				}
				return again, nil
			},
			MaxConnsPerHost: 1, MaxResponseHeaderBytes: maxHeaders,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return p
}

// close closes the probe's connections.
func (p *probe) close() {
	if c := p.first.Swap(nil); c != nil { // nothing was converted
		_ = c.Close()
	}
	p.client.CloseIdleConnections()
}

// at returns the URL that an API server posts to.
func at(client *apiextensions.WebhookClientConfig) string {
	if client.Service == nil {
		u, err := url.Parse(*client.URL)
		if err != nil {
			return *client.URL
		}
		u.Path = path.Join("/", u.Path)
		return u.String()
	}
	where := "/"
	if client.Service.Path != nil {
		where = path.Join("/", *client.Service.Path)
	}
	return "https://" + serverName(client) + where
}

// pool reads a caBundle. Like API servers it takes the system's roots if the bundle is empty, and none
// for a placeholder such as a line feed.
func pool(bundle []byte) (*x509.CertPool, error) {
	if len(bundle) == 0 {
		return nil, nil
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(bundle) {
		return nil, errors.New("it contains no certificate in PEM")
	}
	return roots, nil
}

// explainTLS says why a handshake failed, and the remedy.
func explainTLS(err error, name string) (text, remedy string) {
	var host x509.HostnameError
	var unknown x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &host):
		names := append([]string{}, host.Certificate.DNSNames...)
		for _, ip := range host.Certificate.IPAddresses {
			names = append(names, ip.String())
		}
		have := "no alternative name at all; API servers ignore the common name"
		if len(names) > 0 {
			have = strings.Join(names, ", ")
		}
		return fmt.Sprintf("the certificate is not valid for %s: it has %s", name, foreign.Clean(have, maxText)), "issue a certificate for " + name
	case errors.As(err, &unknown):
		issuer := ""
		if unknown.Cert != nil {
			issuer = " (issuer: " + foreign.Clean(unknown.Cert.Issuer.String(), 200) + ")"
		}
		return "no certificate of caBundle signed the gateway's" + issuer, "put the CA of the gateway's certificate into caBundle, beside the old one while both are in use"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return fmt.Sprintf("the certificate is valid from %s to %s only", invalid.Cert.NotBefore.UTC().Format(time.RFC3339), invalid.Cert.NotAfter.UTC().Format(time.RFC3339)), "renew it"
	}
	var record tls.RecordHeaderError
	if errors.As(err, &record) {
		return "the server does not speak TLS: " + err.Error(), "name the port for reviews, not the admin port"
	}
	return cleaned{err}.Error(), "see whether the gateway listens on this port"
}

// refused is a conversion's failure in the webhook's own words, with the gateway's reason; other webhooks
// give none.
type refused struct{ message, reason string }

func (r refused) Error() string { return r.message }

// reasonRefused is the gateway's reason for an object that a module refuses (host.FailureRefused).
const reasonRefused = "refused"

// convert has one object converted and checks the answer as an API server does. The error is of
// type refused if the answer is well-formed and says Failure.
func (p *probe) convert(ctx context.Context, object *unstructured.Unstructured, to string) (*unstructured.Unstructured, error) {
	raw, err := json.Marshal(object.Object)
	if err != nil {
		return nil, err
	}
	review := apiextensions.ConversionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: p.review, Kind: "ConversionReview"},
		Request:  &apiextensions.ConversionRequest{UID: uuid.NewUUID(), DesiredAPIVersion: to, Objects: []apiruntime.RawExtension{{Raw: raw}}},
	}
	body, err := json.Marshal(review)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url+"?timeout=30s", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, */*")
	request.Header.Set("User-Agent", "crosswalk")
	response, err := p.client.Do(request)
	if err != nil {
		return nil, cleaned{err}
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return nil, cleaned{err}
	}
	return judge(review, response.StatusCode, answer, object, to)
}

// reviewAnswer is a ConversionReview with an answer. It keeps one object, because an answer can have
// millions.
type reviewAnswer struct {
	metav1.TypeMeta
	Response *struct {
		UID              types.UID     `json:"uid"`
		ConvertedObjects firstObject   `json:"convertedObjects"`
		Result           metav1.Status `json:"result"`
	} `json:"response"`
}

// firstObject is the first element of a list.
type firstObject struct {
	first json.RawMessage // nil: the list is empty
	more  bool            // it has another element
}

// UnmarshalJSON implements json.Unmarshaler.
func (o *firstObject) UnmarshalJSON(list []byte) error {
	d := json.NewDecoder(bytes.NewReader(list))
	switch begin, err := d.Token(); {
	case err != nil || begin == nil: // null
		return err
	case begin != json.Delim('['):
		return errors.New("convertedObjects is not a list")
	case !d.More():
		return nil
	}
	if err := d.Decode(&o.first); err != nil {
		return err
	}
	o.more = d.More()
	return nil
}

// judge applies the API server's rules for answers that matter to a test of the way.
func judge(review apiextensions.ConversionReview, status int, body []byte, object *unstructured.Unstructured, to string) (*unstructured.Unstructured, error) {
	switch {
	case len(body) > maxAnswer:
		return nil, fmt.Errorf("the answer has more than %d bytes", maxAnswer)
	case status != http.StatusOK:
		return nil, fmt.Errorf("HTTP status %d: %s", status, foreign.Clean(string(body), maxText))
	}
	var answer reviewAnswer
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, cleaned{fmt.Errorf("the answer is not a ConversionReview: %w", err)}
	}
	switch r := answer.Response; {
	case answer.Kind != review.Kind || answer.APIVersion != review.APIVersion:
		return nil, fmt.Errorf("the answer is a %q, and must be a ConversionReview of %s", foreign.Clean(answer.APIVersion+" "+answer.Kind, 200), review.APIVersion)
	case r == nil:
		return nil, errors.New("the answer has no response")
	case r.UID != review.Request.UID:
		return nil, errors.New("the answer has the uid of another request")
	case r.Result.Status != metav1.StatusSuccess:
		return nil, refused{foreign.Clean(r.Result.Message, maxText), string(r.Result.Reason)}
	case r.ConvertedObjects.first == nil:
		return nil, errors.New("the answer has no object, and must have 1")
	case r.ConvertedObjects.more:
		return nil, errors.New("the answer has several objects, and must have 1")
	}
	converted := &unstructured.Unstructured{}
	if err := converted.UnmarshalJSON(answer.Response.ConvertedObjects.first); err != nil {
		return nil, cleaned{fmt.Errorf("the answer's object cannot be read: %w", err)}
	}
	if converted.GetAPIVersion() != to || converted.GetKind() != object.GetKind() || converted.GetName() != object.GetName() ||
		converted.GetNamespace() != object.GetNamespace() || converted.GetUID() != object.GetUID() {
		return nil, fmt.Errorf("the answer's object is another one or has the wrong apiVersion %q", foreign.Clean(converted.GetAPIVersion(), 200))
	}
	return converted, nil
}
