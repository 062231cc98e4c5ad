package status

import (
	"os"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/runtime"
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

// oldestPull returns when the directory was pulled of which that is longest ago.
func oldestPull(owners []runtime.Owner) (oldest time.Time) {
	for _, o := range owners {
		if at, ok := pulled(o.Dir); ok && (oldest.IsZero() || at.Before(oldest)) {
			oldest = at
		}
	}
	return oldest
}

// PullMetric reports that time of each directory when the metrics are read, if crosswalk pull
// --watch fills it. With several owners it has the label owner.
type PullMetric struct{ Owners []runtime.Owner }

func (m PullMetric) desc() *prometheus.Desc {
	var labels []string
	if len(m.Owners) > 0 && m.Owners[0].Name != "" {
		labels = []string{"owner"}
	}
	return prometheus.NewDesc("crosswalk_module_directory_last_pull_success_timestamp_seconds",
		"Time at which crosswalk pull --watch last found that the module directory has the registry's image, in seconds since the epoch. Absent if it does not fill the directory.", labels, nil)
}

// Describe implements prometheus.Collector.
func (m PullMetric) Describe(ch chan<- *prometheus.Desc) { ch <- m.desc() }

// Collect implements prometheus.Collector.
func (m PullMetric) Collect(ch chan<- prometheus.Metric) {
	for _, o := range m.Owners {
		var labels []string
		if o.Name != "" {
			labels = []string{o.Name}
		}
		if at, ok := pulled(o.Dir); ok {
			ch <- prometheus.MustNewConstMetric(m.desc(), prometheus.GaugeValue, float64(at.UnixMilli())/1000, labels...)
		}
	}
}
