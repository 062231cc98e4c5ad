package status

import (
	"os"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// pulledFile is the file whose time crosswalk pull --watch sets each time the registry has the
// image that the directory holds (cmd/crosswalk/oci). It lies in the image's version of the
// directory.
const pulledFile = "..data/..pulled"

// pulled returns when the module directory was last equal to the registry's image. It opens
// nothing: the file's time is all that there is.
func pulled(dir string) (at time.Time, ok bool) {
	info, err := os.Stat(filepath.Join(dir, pulledFile))
	if err != nil {
		return time.Time{}, false
	}
	return info.ModTime(), true
}

// PullMetric reports that time when the metrics are read, if crosswalk pull --watch fills the
// directory.
type PullMetric struct{ Dir string }

func (PullMetric) desc() *prometheus.Desc {
	return prometheus.NewDesc("crosswalk_module_directory_last_pull_success_timestamp_seconds",
		"Time at which crosswalk pull --watch last found that the module directory has the registry's image, in seconds since the epoch. Absent if it does not fill the directory.", nil, nil)
}

// Describe implements prometheus.Collector.
func (m PullMetric) Describe(ch chan<- *prometheus.Desc) { ch <- m.desc() }

// Collect implements prometheus.Collector.
func (m PullMetric) Collect(ch chan<- prometheus.Metric) {
	if at, ok := pulled(m.Dir); ok {
		ch <- prometheus.MustNewConstMetric(m.desc(), prometheus.GaugeValue, float64(at.UnixMilli())/1000)
	}
}
