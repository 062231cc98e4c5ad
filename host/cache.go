package host

import (
	"bytes"
	"hash/maphash"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/crosswalk-gateway/crosswalk/host/schema"
)

// Cache keeps outputs of modules, because API servers convert an object anew for every read. A key
// is the module, the desired version and every byte of the module's input. Keys are compared in
// full, so a hash collision cannot mix up two objects; hashes are seeded, so nobody can provoke
// collisions. The cache evicts the least recently used entries when it needs room, and all entries
// of a module when the module stops serving. It stores only outputs that passed the contract, never
// refusals or faults.
//
// It is safe for concurrent use and needs no closing.
type Cache struct {
	seed   maphash.Seed
	shards [cacheShards]cacheShard
	// serving says whose outputs are stored. Before the first call of Keep it is nil, and all are.
	serving atomic.Pointer[serving]

	hits, misses, joined, evicted atomic.Uint64

	collide bool // for tests: every key has the same hash
}

// serving are the routes that serve now, and their modules.
type serving struct {
	routes  *Routes
	modules map[Module]bool
}

// has reports whether an entry may be used again.
func (s *serving) has(e *cacheEntry) bool {
	return s.modules[e.module] && (e.review == nil || e.review.routes == s.routes)
}

const (
	// cacheShards is the number of parts with their own lock, so that processors do not wait for
	// each other.
	cacheShards = 8
	// cacheLargest: one entry may take a quarter of a shard, so that a few objects of etcd's
	// largest size do not empty the cache.
	cacheLargest = 4
	// cacheOverhead is the size of an entry beyond its bytes: the struct and its place in a map.
	cacheOverhead = 320
)

type cacheShard struct {
	mu      sync.Mutex
	room    int64 // bytes that entries may take
	used    int64
	entries map[uint64]*cacheEntry // by hash; a newer entry replaces an older one with the same hash
	flights map[uint64]*flight
	oldest  *cacheEntry // a ring in the order of use: oldest.next was used a little later, oldest.prev last
}

// cacheEntry is a cached output. Once stored, only its place in the ring changes.
type cacheEntry struct {
	hash       uint64
	module     Module
	to         string
	input      []byte
	output     []byte
	content    content // the result of the contract's check, if checked
	checked    bool
	review     *storedReview // of an entry for a whole review: it has no version, so no object finds it
	next, prev *cacheEntry
}

// storedReview is the answer to a review of one object, from which only the uid is missing. Its
// entry has the body before and after the uid as the input, and the answer likewise as the output.
type storedReview struct {
	uid        int // offset in the input
	answerUID  int // offset in the output
	edge       Edge
	routes     *Routes     // that the review was answered by
	definition *schema.CRD // that the object was checked against
	outcome    Outcome     // without the uid
}

func (e *cacheEntry) size() int64 {
	n := int64(len(e.input)+len(e.output)) + cacheOverhead
	if e.review != nil {
		n += int64(unsafe.Sizeof(*e.review))
	}
	return n
}

// NewCache returns a cache of about size bytes. It returns nil, a cache that stores nothing, if
// size is 0 or less.
func NewCache(size int64) *Cache {
	if size <= 0 {
		return nil
	}
	c := &Cache{seed: maphash.MakeSeed()}
	for i := range c.shards {
		c.shards[i] = cacheShard{room: size / cacheShards, entries: map[uint64]*cacheEntry{}, flights: map[uint64]*flight{}}
	}
	return c
}

func (c *Cache) hash(h *hop, input []byte) uint64 {
	if c.collide {
		return 0
	}
	return maphash.Bytes(c.seed, input) ^ maphash.String(c.seed, h.label)
}

func (c *Cache) shard(hash uint64) *cacheShard { return &c.shards[hash>>32%cacheShards] }

// find returns the output for an input, or the flight that will bring it. lead means that the
// caller must convert the input and land the flight. The input must not change before the flight
// has landed.
func (c *Cache) find(h *hop, input []byte) (e *cacheEntry, f *flight, lead bool) {
	hash := c.hash(h, input)
	s := c.shard(hash)
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.entries[hash]; e != nil && e.module == h.module && e.to == h.to && bytes.Equal(e.input, input) {
		s.use(e)
		c.hits.Add(1)
		return e, nil, false
	}
	if f := s.flights[hash]; f != nil {
		if f.module == h.module && f.to == h.to && bytes.Equal(f.input, input) {
			c.joined.Add(1)
			return nil, f, false
		}
		c.misses.Add(1)
		return nil, nil, true // a collision: convert the input and do not store the output
	}
	c.misses.Add(1)
	f = &flight{hash: hash, module: h.module, to: h.to, input: input, landed: make(chan struct{})}
	s.flights[hash] = f
	return nil, f, true
}

// land ends a flight. An entry is stored and given to the reviews that wait; without one they
// convert the input themselves.
func (c *Cache) land(f *flight, e *cacheEntry) {
	s := c.shard(f.hash)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.flights, f.hash)
	f.entry = e
	close(f.landed)
	if e != nil {
		c.put(s, e)
	}
}

// put stores an entry in its shard, whose mutex the caller holds.
func (c *Cache) put(s *cacheShard, e *cacheEntry) {
	if serving := c.serving.Load(); serving != nil && !serving.has(e) || e.size() > s.room/cacheLargest {
		return
	}
	if old := s.entries[e.hash]; old != nil {
		s.remove(old)
	}
	s.add(e)
	for s.used > s.room {
		c.evicted.Add(1)
		s.remove(s.oldest)
	}
}

// Keep drops the outputs of all modules that are not in the routes, and the answers to whole
// reviews by other routes. Call it after each change of routes. Such outputs and answers that
// arrive later are not stored: they would keep the other routes, with their modules, in memory.
func (c *Cache) Keep(routes *Routes) {
	if c == nil {
		return
	}
	now := &serving{routes: routes, modules: map[Module]bool{}}
	if routes != nil {
		for _, k := range routes.kinds {
			for _, e := range k.edges {
				now.modules[e.Module] = true
			}
		}
	}
	c.serving.Store(now) // before the sweep, so that conversions in flight store nothing
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		for _, e := range s.entries {
			if !now.has(e) {
				s.remove(e)
			}
		}
		s.mu.Unlock()
	}
}

// add puts a new entry at the end of the ring.
func (s *cacheShard) add(e *cacheEntry) {
	s.entries[e.hash] = e
	s.used += e.size()
	if s.oldest == nil {
		s.oldest, e.next, e.prev = e, e, e
		return
	}
	e.next, e.prev = s.oldest, s.oldest.prev
	e.prev.next, e.next.prev = e, e
}

func (s *cacheShard) remove(e *cacheEntry) {
	delete(s.entries, e.hash)
	s.used -= e.size()
	s.unlink(e)
}

func (s *cacheShard) unlink(e *cacheEntry) {
	if s.oldest == e {
		s.oldest = e.next
		if e.next == e {
			s.oldest = nil
		}
	}
	e.prev.next, e.next.prev = e.next, e.prev
}

// use makes an entry the most recently used one.
func (s *cacheShard) use(e *cacheEntry) {
	if s.oldest.prev == e {
		return
	}
	if s.oldest == e { // the ring turns by one
		s.oldest = e.next
		return
	}
	s.unlink(e)
	e.next, e.prev = s.oldest, s.oldest.prev
	e.prev.next, e.next.prev = e, e
}

// CacheStats are the counters and sizes of a cache.
type CacheStats struct {
	Hits, Misses, Joined, Evicted uint64 // since the start
	Bytes, Limit                  int64
	Entries                       int
}

// Stats returns the counters and sizes; zero for a nil Cache.
func (c *Cache) Stats() (s CacheStats) {
	if c == nil {
		return s
	}
	s.Hits, s.Misses, s.Joined, s.Evicted = c.hits.Load(), c.misses.Load(), c.joined.Load(), c.evicted.Load()
	for i := range c.shards {
		shard := &c.shards[i]
		shard.mu.Lock()
		s.Bytes, s.Limit, s.Entries = s.Bytes+shard.used, s.Limit+shard.room, s.Entries+len(shard.entries)
		shard.mu.Unlock()
	}
	return s
}

// flight is a conversion in progress that reviews with the same input wait for.
type flight struct {
	hash   uint64
	module Module
	to     string
	input  []byte // of the leading review
	landed chan struct{}

	entry *cacheEntry // the output, once landed; nil if the conversion failed
}
