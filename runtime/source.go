package runtime

import (
	"errors"
	"fmt"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// scanFiles is the most files of a directory that are read: 256 for modules and their sidecars,
// which is three times the number of smallest modules in a ConfigMap, and as many for a Subscriber.
const scanFiles = 512

// source is where files of a scan are read again. A scan keeps the content of few files, so that
// only files that are being loaded take memory.
type source struct {
	owner  string
	dir    string
	limits watch.ReadLimits
}

// ErrChanged is a file whose content changed since the scan that found it.
var ErrChanged = errors.New("the file changed since it was found")

// read returns files of a scan with their content, in the same order. The error is ErrChanged if one
// is not as it was.
func (d source) read(files ...watch.File) ([]watch.File, error) {
	d.limits.Order, d.limits.Content = nil, nil
	now, err := watch.Read(d.dir, d.limits, func(name string) bool {
		return slices.ContainsFunc(files, func(f watch.File) bool { return f.Name == watch.JoinOwner(d.owner, name) })
	})
	if err != nil {
		return nil, err
	}
	if len(now.Skipped) > 0 && !now.Unsettled {
		return nil, fmt.Errorf("%s %s", now.Skipped[0].Name, now.Skipped[0].Reason)
	}
	whole := make([]watch.File, len(files))
	for i, f := range files {
		same := slices.IndexFunc(now.Files, func(g watch.File) bool { return watch.JoinOwner(d.owner, g.Name) == f.Name && g.Sum == f.Sum })
		if same < 0 {
			return nil, ErrChanged
		}
		whole[i] = now.Files[same]
		whole[i].Name = f.Name
	}
	return whole, nil
}
