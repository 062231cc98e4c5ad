package runtime

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// TestOrphanIsLogged: the log names the module whose file was deleted, and the file that confirms it.
func TestOrphanIsLogged(t *testing.T) {
	r := resting(t)
	var log strings.Builder
	r.journal.logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
	m := loadFixture(t, smallLimits, "good_echo")
	s := r.state.entry(testName.Base)
	s.serving, s.present = m, true
	r.state.recordPresence(testName.Base, s, false, false)
	const want = `level=WARN msg="module file was deleted; the module serves until the gateway restarts or K.g_v1_v2.removed takes it out of service" module=K.g_v1_v2.wasm`
	if got := strings.TrimSpace(log.String()); got != want || testutil.ToFloat64(r.journal.metrics.orphaned.WithLabelValues(testName.File)) != 1 {
		t.Errorf("logged %s", got)
	}
}

func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// TestEdgeList: a line of the log has the two directions of a conversion once, from the version that
// comes first by name.
func TestEdgeList(t *testing.T) {
	for file, want := range map[string]string{
		"K.g_v1_v2.wasm":    "v1⇄v2",
		"K.g_v2_v1.wasm":    "v1⇄v2",
		"K.g_v1_to_v2.wasm": "v1→v2",
		"K.g_v2_to_v1.wasm": "v2→v1",
		"K.g_v1_v2_v3.wasm": "v1⇄v2 v1⇄v3 v2⇄v3",
	} {
		name, err := artifact.ParseName(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := edgeList(name.Edges()); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
}

// TestUnreadableDirectoryIsLoggedOnce: a scan repeats no line of the previous scan; another
// error, or the same one after a readable directory, gets a line of its own. The metric has the time of
// the last readable one, and 0 if there was none.
func TestUnreadableDirectoryIsLoggedOnce(t *testing.T) {
	const line = `level=ERROR msg="cannot read the module directory; loaded modules keep serving" `
	var log strings.Builder
	j := &journal{logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: withoutTime})), metrics: newMetrics(prometheus.NewRegistry(), func() bool { return false })}
	p := problems{}
	var read float64
	for _, scan := range []struct {
		err  error
		want string
	}{
		{errors.New("denied"), line + "owner=a err=denied\n"},
		{errors.New("denied"), ""},
		{errors.New("gone"), line + "owner=a err=gone\n"},
		{nil, ""},
		{errors.New("gone"), line + "owner=a err=gone\n"},
	} {
		log.Reset()
		p.record("a", scan.err, j)
		if got := log.String(); got != scan.want {
			t.Errorf("after %v, logged %q, want %q", scan.err, got, scan.want)
		}
		now := testutil.ToFloat64(j.metrics.read.WithLabelValues("a"))
		if scan.err == nil && now == 0 || scan.err != nil && now != read {
			t.Errorf("after %v, the last readable directory is of %v, before of %v", scan.err, now, read)
		}
		read = now
	}
}
