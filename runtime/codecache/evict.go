package codecache

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// entry is an entry of the directory.
type entry struct {
	name    string
	account [8]byte
	bytes   int64
	used    time.Time
	kept    bool // it is in use, or the newest
}

// evict removes entries until the rest has no more than max bytes: of the account that holds most, the
// least recently used first. So an account that makes many entries removes its own, and an account
// within its share of max loses none to it. It keeps entries in use and the newest. c.mu is held.
func (c *Cache) evict(newest Key) {
	entries, held, total := c.entries(newest)
	for total > c.max {
		victim := -1
		for i, e := range entries {
			if !e.kept && (victim < 0 || before(e, entries[victim], held)) {
				victim = i
			}
		}
		if victim < 0 {
			return
		}
		e := &entries[victim]
		_ = os.RemoveAll(filepath.Join(c.base, e.name))
		e.kept = true // it is gone, or cannot be removed
		total -= e.bytes
		held[e.account] -= e.bytes
	}
}

// before reports whether an entry is removed before another one.
func before(a, b entry, held map[[8]byte]int64) bool {
	if held[a.account] != held[b.account] {
		return held[a.account] > held[b.account]
	}
	return a.used.Before(b.used)
}

// entries lists the entries, and how many bytes each account and all together hold.
func (c *Cache) entries(newest Key) (entries []entry, held map[[8]byte]int64, total int64) {
	held = map[[8]byte]int64{}
	for _, name := range c.names() {
		key, ok := parseKey(name)
		if !ok { // somebody's own
			continue
		}
		e := entry{name: name, account: key.account, kept: key == newest || c.inUse[key] > 0}
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
		held[e.account] += e.bytes
		entries = append(entries, e)
	}
	return entries, held, total
}
