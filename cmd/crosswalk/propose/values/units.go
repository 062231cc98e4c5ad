// Package values relates fields by the values that objects have in them at two versions.
package values

import (
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
)

// TypesOf returns the types of a text and of a number whose name is that of the text with a unit:
// timeout and timeoutSeconds.
func TypesOf(text, number string) string {
	unit, ok := strings.CutPrefix(number, text)
	if !ok {
		return ""
	}
	return map[string]string{
		"Seconds": "duration, s", "Minutes": "duration, min", "Hours": "duration, h", "Milliseconds": "duration, ms", "Millis": "duration, ms",
		"Bytes": "quantity, bytes", "MiB": "quantity, Mi", "Mi": "quantity, Mi", "GiB": "quantity, Gi", "Gi": "quantity, Gi",
	}[unit]
}

// units are the endings of names that say a unit, in lower case, with the unit.
func units() map[string]string {
	all := map[string]string{}
	for unit, names := range map[string]string{
		"bytes": "bytes byte", "bits": "bits", "KB": "kb kilobytes", "KiB": "ki kib kibibytes", "MB": "mb megabytes", "MiB": "mi mib mebibytes", "GB": "gb gigabytes", "GiB": "gi gib gibibytes",
		"TB": "tb terabytes", "TiB": "ti tib tebibytes", "ns": "ns nanos nanoseconds", "µs": "us micros microseconds", "ms": "ms millis milliseconds msec", "s": "s sec secs second seconds",
		"min": "mins minute minutes", "h": "hrs hour hours", "d": "day days", "weeks": "week weeks", "percent": "percent percentage pct", "a fraction": "fraction ratio", "cores": "cores",
		"millicores": "millicores millicpu", "Hz": "hz", "kHz": "khz", "MHz": "mhz", "GHz": "ghz", "bit/s": "bps", "kbit/s": "kbps", "Mbit/s": "mbps", "Gbit/s": "gbps",
	} {
		for _, name := range strings.Fields(names) {
			all[name] = unit
		}
	}
	return all
}

// UnitIn returns the unit at the end of a name: GB of sizeGb, s of timeout_seconds; "" if there is
// none. The unit is a word of its own: it begins with a capital or after a mark, or is the name.
func UnitIn(name string) string {
	all, best := units(), ""
	for i := range name {
		begins := i == 0 || name[i-1] == '_' || name[i-1] == '-' || isUpper(name[i]) && !isUpper(name[i-1])
		if unit := all[strings.ToLower(name[i:])]; begins && unit != "" && best == "" {
			best = unit // the longest
		}
	}
	return best
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

// UnitAt returns the unit at the end of a path.
func UnitAt(text string) string {
	p, err := fieldpath.Parse(text)
	if err != nil || len(p) == 0 {
		return ""
	}
	return UnitIn(p.Last())
}
