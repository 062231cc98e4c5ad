package host

import (
	"strings"
	"testing"
)

// TestAddressee: the version and uid of a review are found without reading the bytes behind them,
// where possible.
func TestAddressee(t *testing.T) {
	for body, want := range map[string]string{
		`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u-1","objects":[]}}`: "apiextensions.k8s.io/v1 u-1",
		`{"kind":"x","apiVersion":"v","request":{"uid":"u","objects":[` + "\x00":                                  "v u", // and not a byte further
		`{"request":{"objects":[{"uid":"no"}],"uid":"u"},"apiVersion":"v"}`:                                       "v u",
		`{"request":{"uid":"u"}}`:                                                      " u",
		`{"apiVersion":"v","request":{"UID":"u"}}`:                                     "v ",
		`{"apiVersion":"v","request":[{"uid":"u"}],"uid":"u"}`:                         "v ",
		`{"apiVersion":1,"request":{"uid":{"uid":"u"}}}`:                               " ",
		`{"apiVersion":"v","request":{"uid":"` + strings.Repeat("u", maxUID+1) + `"}}`: "v ",
		`[]`: " ", ``: " ", `{`: " ",
	} {
		if apiVersion, uid := addressee([]byte(body)); apiVersion+" "+uid != want {
			t.Errorf("%.100q: %q %q, want %q", body, apiVersion, uid, want)
		}
	}
}
