package serve

import (
	"crypto/tls"
	"net"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
)

// A wrong caBundle shows nowhere but in the handshake, so that is where it is explained.
func TestFailedHandshakes(t *testing.T) {
	r := start(t, nil)
	address := strings.TrimPrefix(r.url, "https://")
	failures := func() float64 { return testutil.ToFloat64(r.report.metrics.handshakeErrors) }

	probe, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	probe.Close()
	eventually.True(t, "the probe to be counted", func() bool { return failures() == 1 })
	if log := r.log.String(); strings.Contains(log, "connection failed") {
		t.Errorf("a probe is in the log: %s", log)
	}

	if f := r.report.metrics.Untrusted(); f != nil {
		t.Errorf("a probe says %+v", f)
	}
	if _, err := tls.Dial("tcp", address, &tls.Config{ServerName: "localhost"}); err == nil { // trusts other CAs
		t.Fatal("the handshake succeeded")
	}
	eventually.True(t, "the refused certificate to be counted", func() bool { return failures() == 2 })
	eventually.True(t, "the refused certificate to be logged", func() bool {
		return strings.Contains(r.log.String(), "the caBundle in the CRD must hold the CA that signed it")
	})
	if f := r.report.metrics.Untrusted(); f == nil || !strings.Contains(f.Message, "caBundle") || !strings.Contains(f.Message, "from 127.0.0.1:") || f.At.IsZero() {
		t.Errorf("%+v, want the client and the remedy", f)
	}
}
