package codecache

import (
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// evict removes the least recently used entries until the rest has no more than max bytes. It keeps
// entries in use and the newest. c.mu is held.
func (c *Cache) evict(newest Key) {
	type entry struct {
		key   Key
		bytes int64
		used  time.Time
	}
	var entries []entry
	total := int64(0)
	for _, name := range c.names() {
		e := entry{}
		if len(name) != hex.EncodedLen(len(e.key)) { // somebody's own, for which Decode has no room
			continue
		}
		if _, err := hex.Decode(e.key[:], []byte(name)); err != nil {
			continue
		}
		dir := filepath.Join(c.base, name)
		if info, err := os.Lstat(filepath.Join(dir, sealName)); err == nil {
			e.used = info.ModTime()
		}
		_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				if info, err := d.Info(); err == nil {
					e.bytes += info.Size()
				}
			}
			return nil
		})
		total += e.bytes
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b entry) int { return a.used.Compare(b.used) })
	for _, e := range entries {
		if total <= c.max {
			return
		}
		if e.key != newest && c.inUse[e.key] == 0 {
			_ = os.RemoveAll(filepath.Join(c.base, e.key.String()))
			total -= e.bytes
		}
	}
}
