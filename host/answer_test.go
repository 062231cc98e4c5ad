package host

import (
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/faults"
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
		`{"apiVersion":"v","request":{"uid":"` + strings.Repeat("u", maxUID) + `"}}`:   "v " + strings.Repeat("u", maxUID),
		`[]`: " ", ``: " ", `{`: " ",
	} {
		if apiVersion, uid := addressee([]byte(body)); apiVersion+" "+uid != want {
			t.Errorf("%.100q: %q %q, want %q", body, apiVersion, uid, want)
		}
	}
}

// TestFailedAnswer: a body gets an answer if it names a uid and a known version, in any order before
// the objects.
func TestFailedAnswer(t *testing.T) {
	answer := func(version string) string {
		return `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/` + version + `","response":{"uid":"u","convertedObjects":[],"result":{"status":"Failed","message":"why \"so\"","reason":"internal"}}}`
	}
	for body, want := range map[string]string{
		`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u"}}`: answer("v1"),
		`{"request":{"uid":"u","objects":[]},"apiVersion":"apiextensions.k8s.io/v1beta1"}`:         answer("v1beta1"),
		`{"apiVersion":"apiextensions.k8s.io/v2","request":{"uid":"u"}}`:                           "",
		`{"apiVersion":"v1","request":{"uid":"u"}}`:                                                "",
		`{"apiVersion":"apiextensions.k8s.io/v1","request":{}}`:                                    "",
		`[]`: "",
	} {
		got, version, uid := FailedAnswer([]byte(body), faults.Internal, `why "so"`)
		if string(got) != want || (uid == "u") != (want != "") || (version != "") != (want != "") {
			t.Errorf("%s: %s, version %q, uid %q", body, got, version, uid)
		}
	}
}

// TestRoomForOutputsNamesNoObject: a fault that all outputs together cause is not the fault of the
// first object.
func TestRoomForOutputsNamesNoObject(t *testing.T) {
	for _, e := range []interface{ Object() (int, bool) }{crowded{}, tooLarge{}} {
		if n, known := e.Object(); known {
			t.Errorf("%T names object %d", e, n)
		}
	}
}
