package attach

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	core "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/transport/spdy"
	"k8s.io/streaming/pkg/httpstream"
)

// tunnel opens a connection to a port of a pod, as kubectl port-forward does, but without a
// listener on this machine. TLS runs inside of it from end to end, so the certificate that the
// pod shows is the one that API servers see.
func (c *examiner) tunnel(ctx context.Context, namespace, pod string, port int32) (net.Conn, error) {
	dialer, err := c.forwarder(namespace, pod)
	if err != nil {
		return nil, err
	}
	type result struct {
		connection httpstream.Connection
		err        error
	}
	dialed := make(chan result, 1)
	go func() { // ends when the API server answers; the dialer knows no context
		connection, _, err := dialer.Dial(portforward.PortForwardProtocolV1Name)
		dialed <- result{connection, err}
	}()
	select {
	case <-ctx.Done():
		go func() {
			if r := <-dialed; r.err == nil {
				_ = r.connection.Close()
			}
		}()
		return nil, fmt.Errorf("forwarding to pod %s: %w", pod, ctx.Err())
	case r := <-dialed:
		if r.err != nil {
			return nil, fmt.Errorf("forwarding to pod %s: %w", pod, r.err)
		}
		conn, err := forward(r.connection, port)
		if err != nil {
			_ = r.connection.Close()
			return nil, fmt.Errorf("forwarding to pod %s: %w", pod, err)
		}
		return conn, nil
	}
}

// forwarder returns a dialer for WebSockets, which all API servers since 1.31 speak, and else SPDY.
func (c *examiner) forwarder(namespace, pod string) (httpstream.Dialer, error) {
	config := rest.CopyConfig(c.config)
	config.Timeout = 0 // is for a request, and would become a part of the URL
	config.GroupVersion, config.APIPath, config.NegotiatedSerializer = &core.SchemeGroupVersion, "/api", codecs
	client, err := rest.RESTClientFor(config)
	if err != nil {
		return nil, err
	}
	at := client.Post().Resource("pods").Namespace(namespace).Name(pod).SubResource("portforward").URL()
	transport, upgrader, err := spdy.RoundTripperFor(config)
	if err != nil {
		return nil, err
	}
	old := spdy.NewDialerForStreaming(upgrader, &http.Client{Transport: transport}, http.MethodPost, at)
	dialer, err := portforward.NewSPDYOverWebsocketDialerForStreaming(at, config)
	if err != nil {
		return nil, err
	}
	return portforward.NewFallbackDialerForStreaming(dialer, old, func(err error) bool {
		return httpstream.IsUpgradeFailure(err) || httpstream.IsHTTPSProxyError(err)
	}), nil
}

// forward makes one forwarded connection. It owns the tunnel from then on.
func forward(tunnel httpstream.Connection, port int32) (net.Conn, error) {
	headers := http.Header{}
	headers.Set(core.StreamType, core.StreamTypeError)
	headers.Set(core.PortHeader, strconv.Itoa(int(port)))
	headers.Set(core.PortForwardRequestIDHeader, "0")
	faults, err := tunnel.CreateStream(headers)
	if err != nil {
		return nil, err
	}
	_ = faults.Close() // it is only read
	headers.Set(core.StreamType, core.StreamTypeData)
	data, err := tunnel.CreateStream(headers)
	if err != nil {
		return nil, err
	}
	conn := &forwarded{Stream: data, tunnel: tunnel, fault: make(chan string, 1)}
	go func() { // ends with the tunnel
		text, _ := io.ReadAll(io.LimitReader(faults, 4<<10))
		conn.fault <- strings.TrimSpace(string(text))
	}()
	return conn, nil
}

// forwarded is a stream of a tunnel as a connection. The node reports its own errors, such as a
// refused connection, on a stream beside it.
type forwarded struct {
	httpstream.Stream
	tunnel httpstream.Connection
	fault  chan string
}

// faultWait is the time for the node's report to arrive after the stream has ended.
const faultWait = time.Second

func (f *forwarded) Read(p []byte) (int, error) {
	n, err := f.Stream.Read(p)
	if err != nil && n == 0 {
		select {
		case text := <-f.fault:
			if text != "" {
				return 0, errors.New(text)
			}
		case <-time.After(faultWait):
		}
	}
	return n, err
}

// Close ends the connection and its tunnel.
func (f *forwarded) Close() error {
	_ = f.Stream.Reset()
	return f.tunnel.Close()
}

// The methods below make it a net.Conn. Requests end with their context, which closes the
// connection, and not by deadlines.

func (f *forwarded) LocalAddr() net.Addr              { return tunnelAddr{} }
func (f *forwarded) RemoteAddr() net.Addr             { return tunnelAddr{} }
func (f *forwarded) SetDeadline(time.Time) error      { return nil }
func (f *forwarded) SetReadDeadline(time.Time) error  { return nil }
func (f *forwarded) SetWriteDeadline(time.Time) error { return nil }

type tunnelAddr struct{}

func (tunnelAddr) Network() string { return "tcp" }
func (tunnelAddr) String() string  { return "port forwarding" }
