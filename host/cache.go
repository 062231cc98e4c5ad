package host

import (
	"bytes"
	"hash/maphash"
	"sync"
	"sync/atomic"
)

// Cache keeps what modules made of objects, to answer the same question again without asking the module: API servers convert an object
// anew for every read. A key is the module, the version asked for and every byte of what the module would see, compared in full, so that no
// collision of hashes can mix up two objects; hashes are seeded, so that nobody can provoke collisions. Entries go when room is needed, those
// not used for the longest time first, and with their module. Only answers that kept the contract are stored; refusals and faults are not.
//
// It is safe for concurrent use; there is nothing to close.
type Cache struct {
	seed   maphash.Seed
	shards [cacheShards]cacheShard
	// serving are the modules whose answers are stored; nil means all, for nobody has said yet.
	serving atomic.Pointer[map[Module]bool]

	hits, misses, joined, evicted atomic.Uint64

	collide bool // every key has the same hash: for tests
}

const (
	// cacheShards is how many parts with a lock of their own there are, so that cores do not wait for each other.
	cacheShards = 8
	// cacheLargest is the part of a shard's room that one entry may take: a few objects of etcd's largest size must not empty the cache.
	cacheLargest = 4
	// cacheOverhead is what an entry takes beside its bytes: the entry itself, and its place in a map.
	cacheOverhead = 320
)

type cacheShard struct {
	mu      sync.Mutex
	room    int64 // bytes that entries may take
	used    int64
	entries map[uint64]*cacheEntry // by hash; of two with one hash the newer stays
	flights map[uint64]*flight
	oldest  *cacheEntry // a ring in the order of use: oldest.next is used a little later, oldest.prev last
}

// cacheEntry is an answer. It is not changed once it is stored, but for its place in the ring.
type cacheEntry struct {
	hash       uint64
	module     Module
	to         string
	view       []byte
	answer     []byte
	made       content // what the contract's check made of the answer, if sure
	sure       bool
	next, prev *cacheEntry
}

func (e *cacheEntry) size() int64 { return int64(len(e.view)+len(e.answer)) + cacheOverhead }

// NewCache returns a cache of at most about size bytes; nil, which caches nothing, if size is not above 0.
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

// pureModule is a Module that may say that its answers depend on nothing but its input, now and in the future. Of others nothing is cached.
type pureModule interface{ Pure() bool }

// takes says whether answers of the module are cached.
func (c *Cache) takes(m Module) bool {
	if c == nil {
		return false
	}
	p, ok := m.(pureModule)
	return ok && p.Pure()
}

func (c *Cache) hash(h *hop, view []byte) uint64 {
	if c.collide {
		return 0
	}
	return maphash.Bytes(c.seed, view) ^ maphash.String(c.seed, h.label)
}

func (c *Cache) shard(hash uint64) *cacheShard { return &c.shards[hash>>32%cacheShards] }

// ask returns the answer for a view, or else the flight that will bring it; lead says that it is the caller who has to convert it and to land
// the flight. The view must not change before the flight has landed.
func (c *Cache) ask(h *hop, view []byte) (e *cacheEntry, f *flight, lead bool) {
	hash := c.hash(h, view)
	s := c.shard(hash)
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.entries[hash]; e != nil && e.module == h.module && e.to == h.to && bytes.Equal(e.view, view) {
		s.use(e)
		c.hits.Add(1)
		return e, nil, false
	}
	if f := s.flights[hash]; f != nil {
		if f.module == h.module && f.to == h.to && bytes.Equal(f.view, view) {
			c.joined.Add(1)
			return nil, f, false
		}
		c.misses.Add(1)
		return nil, nil, true // a collision: it is converted, and not stored
	}
	c.misses.Add(1)
	f = &flight{hash: hash, module: h.module, to: h.to, view: view, landed: make(chan struct{})}
	s.flights[hash] = f
	return nil, f, true
}

// land ends a flight with an answer, which is stored and handed to those who wait, or with none: then they convert for themselves.
func (c *Cache) land(f *flight, e *cacheEntry) {
	s := c.shard(f.hash)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.flights, f.hash)
	f.entry = e
	close(f.landed)
	if serving := c.serving.Load(); e == nil || serving != nil && !(*serving)[f.module] || e.size() > s.room/cacheLargest {
		return
	}
	if old := s.entries[f.hash]; old != nil {
		s.remove(old)
	}
	s.add(e)
	for s.used > s.room {
		c.evicted.Add(1)
		s.remove(s.oldest)
	}
}

// Keep drops the answers of all modules that are not in the routes. Call it whenever routes change. What is under way for such a module
// is not stored any more.
func (c *Cache) Keep(routes *Routes) {
	if c == nil {
		return
	}
	serving := map[Module]bool{}
	if routes != nil {
		for _, k := range routes.kinds {
			for _, e := range k.edges {
				serving[e.Module] = true
			}
		}
	}
	c.serving.Store(&serving) // first, so that what lands behind the sweep is not stored
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		for _, e := range s.entries {
			if !serving[e.module] {
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

// use makes an entry the one used last.
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

// cacheUse is what the metrics show of a cache.
type cacheUse struct {
	hits, misses, joined, evicted uint64
	bytes, limit                  int64
	entries                       int
}

func (c *Cache) use() (u cacheUse) {
	if c == nil {
		return u
	}
	u.hits, u.misses, u.joined, u.evicted = c.hits.Load(), c.misses.Load(), c.joined.Load(), c.evicted.Load()
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		u.bytes, u.limit, u.entries = u.bytes+s.used, u.limit+s.room, u.entries+len(s.entries)
		s.mu.Unlock()
	}
	return u
}

// flight is a conversion under way, for which others who want the same may wait.
type flight struct {
	hash   uint64
	module Module
	to     string
	view   []byte // of the review that leads
	landed chan struct{}

	entry *cacheEntry // the answer, once landed; nil if there is none
}
