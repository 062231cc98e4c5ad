package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/gocmd"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/project"
)

// Module reports the module's sizes, and the time of loading it; 0 if it was not loaded.
func (r *Report) Module(name string, size project.Sizes, load time.Duration) {
	r.Line("%s: %.1f MB; .gz %.2f MB, .zst %.2f MB; %s%s", name, mega(size.Raw), mega(size.Gzip), mega(size.Zstd), room(size.Zstd), loads(load))
}

// Bytes reports the packages that the module's bytes come from: of Go's library and the SDK the
// sum, and the largest others.
func (r *Report) Bytes(portions []project.Portion) {
	const most, least = 4, 10 << 10
	var all, first []string
	data, library, sdk, others, rest := 0, 0, 0, 0, 0
	for _, p := range portions {
		all = append(all, fmt.Sprintf("%8d  %s", p.Bytes, p.Name))
		domain, _, _ := strings.Cut(p.Name, "/")
		switch {
		case p.Name == project.PartData:
			data += p.Bytes
		case strings.HasPrefix(p.Name+"/", gocmd.SDKModule+"/"):
			sdk += p.Bytes
		case !strings.Contains(domain, "."):
			library += p.Bytes
		case len(first) < most && p.Bytes >= least:
			first = append(first, fmt.Sprintf("%s %.2f", p.Name, mega(p.Bytes)))
		default:
			others, rest = others+1, rest+p.Bytes
		}
	}
	if others > 0 {
		first = append(first, fmt.Sprintf("%d others %.2f", others, mega(rest)))
	}
	r.Line("MB of code: Go's library %.2f, the SDK %.2f, %s; of data: %.2f", mega(library), mega(sdk), strings.Join(first, ", "), mega(data))
	r.section("Bytes of the module by package:", all)
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
