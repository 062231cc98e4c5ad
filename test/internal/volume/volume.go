// Package volume changes a directory the ways that mounted volumes change: like the kubelet does
// for ConfigMaps, all files at once behind a symbolic link, and like people do, file by file.
package volume

import (
	"os"
	"path/filepath"

	"github.com/crosswalk-gateway/crosswalk/internal/testing/kubelet"
)

// ConfigMap is a directory that a kubelet fills.
type ConfigMap = kubelet.Volume

// Move replaces one file in one step: it writes a new file under a name that no module has, and
// renames it.
func Move(dir, name string, content []byte) error {
	temporary := filepath.Join(dir, "."+name+".tmp")
	if err := os.WriteFile(temporary, content, 0o644); err != nil {
		return err
	}
	return os.Rename(temporary, filepath.Join(dir, name))
}
