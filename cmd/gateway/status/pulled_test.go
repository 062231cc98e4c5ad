package status

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/crosswalk-gateway/crosswalk/runtime"
)

// TestPullMetric: the time is that of a file which crosswalk pull --watch writes, and there is none
// without it.
func TestPullMetric(t *testing.T) {
	dir := t.TempDir()
	if n := testutil.CollectAndCount(PullMetric{[]runtime.Owner{{Dir: dir}}}); n != 0 {
		t.Errorf("%d metrics of a directory that nobody pulls into", n)
	}
	version := filepath.Join(dir, "..2026_03_01_12_00_00.1")
	at := time.UnixMilli(1_772_366_400_500)
	for _, err := range []error{
		os.Mkdir(version, 0o755),
		os.WriteFile(filepath.Join(version, "..pulled"), nil, 0o644),
		os.Chtimes(filepath.Join(version, "..pulled"), at, at),
		os.Symlink(filepath.Base(version), filepath.Join(dir, "..data")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	const want = `
# HELP crosswalk_module_directory_last_pull_success_timestamp_seconds Time at which crosswalk pull --watch last found that the module directory has the registry's image, in seconds since the epoch. Absent if it does not fill the directory.
# TYPE crosswalk_module_directory_last_pull_success_timestamp_seconds gauge
crosswalk_module_directory_last_pull_success_timestamp_seconds{owner=""} 1.7723664005e+09
`
	if err := testutil.CollectAndCompare(PullMetric{[]runtime.Owner{{Dir: dir}}}, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
}
