package operate

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
)

// TestAddress: the flags name a gateway by a Service or a URL, and the CA by a file.
func TestAddress(t *testing.T) {
	noCA := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(noCA, []byte("no PEM"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		flags gatewayFlags
		want  attach.Gateway
		err   string
	}{
		{gatewayFlags{service: "a/b", port: 443}, attach.Gateway{Namespace: "a", Name: "b", Port: 443}, ""},
		{gatewayFlags{service: "b"}, attach.Gateway{}, `--service must be NAMESPACE/NAME, not "b"`},
		{gatewayFlags{service: "/b"}, attach.Gateway{}, `--service must be NAMESPACE/NAME, not "/b"`},
		{gatewayFlags{service: "a/"}, attach.Gateway{}, `--service must be NAMESPACE/NAME, not "a/"`},
		{gatewayFlags{url: "https://a.example.org/convert"}, attach.Gateway{URL: "https://a.example.org/convert"}, ""},
		{gatewayFlags{service: "a/b", caFile: noCA}, attach.Gateway{Namespace: "a", Name: "b"}, noCA + " has no certificate in PEM"},
	} {
		got, err := c.flags.address()
		said := ""
		if err != nil {
			said = err.Error()
		}
		got.CA = nil
		if got.Namespace != c.want.Namespace || got.Name != c.want.Name || got.URL != c.want.URL || got.Port != c.want.Port || said != c.err {
			t.Errorf("%+v: got %+v, %q", c.flags, got, said)
		}
	}
}
