package report

import (
	"fmt"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/project"
)

// Module reports the module's sizes, and the time of loading it; 0 if it was not loaded.
func (r *Report) Module(name string, size project.Sizes, load time.Duration) {
	r.Line("%s: %.1f MB; .gz %.2f MB, .zst %.2f MB; %s%s", name, mega(size.Raw), mega(size.Gzip), mega(size.Zstd), room(size.Zstd), loads(load))
}

func mega(n int) float64 { return float64(n) / (1 << 20) }

// configMap is the most bytes that an API server takes in all values of a ConfigMap, before base64.
const configMap = 1 << 20

// room reports whether a .zst fits a ConfigMap, or the ways to the gateway for a larger file.
func room(size int) string {
	if size > configMap {
		return fmt.Sprintf("the .zst is %d KB too large for a ConfigMap: use crosswalk push and crosswalk pull, or an image volume (docs/use/registry.md)", (size-configMap+1023)>>10)
	}
	return fmt.Sprintf("the .zst fits a ConfigMap with %d KB to spare", (configMap-size)>>10)
}

func loads(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return fmt.Sprintf("; loads in %.1f s of CPU", d.Seconds())
}
