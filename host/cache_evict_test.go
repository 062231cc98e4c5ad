package host

import (
	"fmt"
	"testing"
)

// oneShard returns a cache whose shards have room for that many bytes, a hop, and a function that
// makes entries of the hop, all of them for one shard.
func oneShard(room int64) (c *Cache, s *cacheShard, h *hop, entry func(output int) *cacheEntry) {
	c = NewCache(cacheShards * room)
	s, h = &c.shards[0], &hop{module: relabeling(), to: "v2", label: "v1 to v2"}
	made := 0
	return c, s, h, func(output int) *cacheEntry {
		for {
			input := fmt.Appendf(nil, "%010d", made)
			if made++; c.shard(c.hash(h, input)) == s {
				return &cacheEntry{hash: c.hash(h, input), module: h.module, to: h.to, input: input, output: make([]byte, output)}
			}
		}
	}
}

// TestLookupKeepsAnEntry: an output that was found is used, so that another one is evicted first.
func TestLookupKeepsAnEntry(t *testing.T) {
	const entries = 8
	c, s, h, entry := oneShard(entries * (cacheOverhead + 10))
	var all []*cacheEntry
	for range entries {
		all = append(all, entry(0))
		c.put(s, all[len(all)-1])
	}
	if found, _, _ := c.find(h, all[0].input); found != all[0] {
		t.Fatal("the oldest entry is not there")
	}
	c.put(s, entry(0))
	for i, want := range []bool{true, false, true} {
		if got := s.entries[all[i].hash] == all[i]; got != want {
			t.Errorf("entry %d is there: %v, want %v", i, got, want)
		}
	}
}

// TestLargeEntryEvictsSeveral: the entries of a shard never exceed its room, however many have to go
// for a new one.
func TestLargeEntryEvictsSeveral(t *testing.T) {
	const entries, size = 16, cacheOverhead + 10
	c, s, _, entry := oneShard(entries * size)
	for range entries {
		c.put(s, entry(0))
	}
	if c.put(s, entry(2*size)); s.used > s.room || len(s.entries) != entries-2 {
		t.Errorf("%d entries take %d bytes of %d", len(s.entries), s.used, s.room)
	}
}
