// Package volume changes a directory the ways that mounted volumes change: like the kubelet does for ConfigMaps, all files at once
// behind a symbolic link, and like people do, file by file.
package volume

import (
	"fmt"
	"os"
	"path/filepath"
)

// ConfigMap is a directory that the kubelet's AtomicWriter could have written: every file is a link to ..data/<name>, and ..data is a
// link to the directory of the generation that is current. It is for one goroutine; those that read it may be anywhere.
type ConfigMap struct {
	Dir string

	generation int
}

// Write replaces the whole content in the order of the AtomicWriter: new directory, ..data_tmp, rename to ..data, links of new files,
// links and directory of the old generation away.
func (v *ConfigMap) Write(files map[string][]byte) error {
	v.generation++
	current := fmt.Sprintf("..2006_01_02_15_04_05.%09d", v.generation)
	if err := os.Mkdir(filepath.Join(v.Dir, current), 0o755); err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(v.Dir, current, name), content, 0o644); err != nil {
			return err
		}
	}
	data := filepath.Join(v.Dir, "..data")
	previous, _ := os.Readlink(data) // none the first time
	temporary := data + "_tmp"
	if err := os.Symlink(current, temporary); err != nil {
		return err
	}
	if err := os.Rename(temporary, data); err != nil {
		return err
	}
	for name := range files {
		err := os.Symlink(filepath.Join("..data", name), filepath.Join(v.Dir, name))
		if err != nil && !os.IsExist(err) {
			return err
		}
	}
	if previous == "" {
		return nil
	}
	gone, err := os.ReadDir(filepath.Join(v.Dir, previous))
	if err != nil {
		return err
	}
	for _, file := range gone {
		if _, still := files[file.Name()]; !still {
			if err := os.Remove(filepath.Join(v.Dir, file.Name())); err != nil {
				return err
			}
		}
	}
	return os.RemoveAll(filepath.Join(v.Dir, previous))
}

// Copy writes one file like cp does: it truncates what is there and writes in pieces, so that readers can see part of it.
func Copy(dir, name string, content []byte) error {
	file, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	for len(content) > 0 {
		n := min(128<<10, len(content)) // what cp writes at a time
		if _, err := file.Write(content[:n]); err != nil {
			_ = file.Close()
			return err
		}
		content = content[n:]
	}
	return file.Close()
}

// Move writes one file like careful people do: beside it, under a name that is no module's, and then over it in one step.
func Move(dir, name string, content []byte) error {
	temporary := filepath.Join(dir, "."+name+".tmp")
	if err := os.WriteFile(temporary, content, 0o644); err != nil {
		return err
	}
	return os.Rename(temporary, filepath.Join(dir, name))
}
