package codecache

import (
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
	kept    bool // it is the newest, or gone
}

// evict removes entries until the rest has no more than max bytes: of the account that holds most, the
// least recently used first. So an account that makes many entries removes its own, and an account
// within its share of max loses none to it. It keeps the newest. c.mu is held.
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
		_ = os.Remove(filepath.Join(c.base, e.name))
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
	for _, file := range c.list() {
		key, ok := parseKey(file.Name())
		info, err := file.Info()
		if !ok || err != nil || file.IsDir() { // somebody's own, or gone
			continue
		}
		total += info.Size()
		held[key.account] += info.Size()
		entries = append(entries, entry{name: file.Name(), account: key.account, bytes: info.Size(), used: info.ModTime(), kept: key == newest})
	}
	return entries, held, total
}
