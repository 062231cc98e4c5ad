package attach

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/streaming/pkg/httpstream/spdy"
)

// forwardPorts answers requests for port forwarding as a kubelet does: each pair of streams is a
// connection to the port at 127.0.0.1, and errors go to the stream for errors.
func forwardPorts(w http.ResponseWriter, r *http.Request) {
	if _, err := httpstream.Handshake(r, w, []string{portforward.PortForwardProtocolV1Name}); err != nil {
		return
	}
	faults := make(chan httpstream.Stream, 1)
	done := make(chan struct{})
	conn := spdy.NewResponseUpgrader().UpgradeResponse(w, r, func(s httpstream.Stream, replied <-chan struct{}) error {
		if s.Headers().Get(core.StreamType) == core.StreamTypeError {
			faults <- s
			return nil
		}
		go func() {
			<-replied
			fault := <-faults
			defer fault.Close()
			defer s.Close()
			to, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", s.Headers().Get(core.PortHeader)))
			if err != nil {
				_, _ = io.WriteString(fault, "error forwarding port: "+err.Error())
				return
			}
			defer to.Close()
			go func() {
				_, _ = io.Copy(to, s)
				_ = to.(*net.TCPConn).CloseWrite()
			}()
			_, _ = io.Copy(s, to)
		}()
		return nil
	})
	if conn == nil {
		return
	}
	go func() {
		<-conn.CloseChan()
		close(done)
	}()
	<-done
}

// TestTunnel forwards a connection over SPDY, and expects the node's own words for a closed port.
func TestTunnel(t *testing.T) {
	var path string
	api := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") == "websocket" { // as API servers before 1.31
			http.Error(w, "unable to upgrade", http.StatusBadRequest)
			return
		}
		path = r.URL.Path
		forwardPorts(w, r)
	}))
	defer api.Close()
	c, err := NewCluster(&rest.Config{Host: api.URL, TLSClientConfig: rest.TLSClientConfig{Insecure: true}})
	if err != nil {
		t.Fatal(err)
	}
	pod, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		conn, err := pod.Accept()
		if err != nil {
			return
		}
		line, _ := bufio.NewReader(conn).ReadString('\n')
		_, _ = io.WriteString(conn, "you said "+line)
		_ = conn.Close()
	}()
	port := int32(pod.Addr().(*net.TCPAddr).Port)
	conn, err := c.Probe.tunnel(context.Background(), "gateways", "pod-1", port)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, "hello\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil || string(answer) != "you said hello\n" {
		t.Errorf("%q, %v", answer, err)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	if path != "/api/v1/namespaces/gateways/pods/pod-1/portforward" {
		t.Errorf("the path was %s", path)
	}

	_ = pod.Close() // nothing listens there any more
	conn, err = c.Probe.tunnel(context.Background(), "gateways", "pod-1", port)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.ReadAll(conn); err == nil || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("a closed port: %v", err)
	}
}
