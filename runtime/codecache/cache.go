// Package codecache keeps compiled code in a directory, so that a program that starts again need
// not compile it again.
//
// Code from the cache runs in the process, outside of every sandbox: a user who can write the
// directory controls the program. Therefore [Open] only accepts a directory that nobody else can
// write. An entry is used only by the very program that wrote it, on a processor with the same
// features, and only if not a bit of it has changed; everything else is a cache miss, which costs a
// compilation.
package codecache

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// ErrInUse says that another process uses the directory.
var ErrInUse = errors.New("another process uses it")

// Key identifies the input that an entry was made from, and whose share of the directory the entry
// takes; Cache.Key makes one.
type Key struct {
	input   [sha256.Size]byte
	account [8]byte
}

// String returns the name of the entry's directory.
func (k Key) String() string {
	return hex.EncodeToString(k.input[:]) + "-" + hex.EncodeToString(k.account[:])
}

// parseKey is the opposite of Key.String. Entries of earlier versions have no account.
func parseKey(name string) (k Key, ok bool) {
	input, account, found := strings.Cut(name, "-")
	into := func(b []byte, text string) bool {
		n, err := hex.DecodeString(text)
		return err == nil && copy(b, n) == len(n) && len(n) == len(b)
	}
	return k, into(k.input[:], input) && (!found || into(k.account[:], account))
}

// Cache is a directory of entries, each of which is a directory itself. It is safe for concurrent
// use. Close it once no entry is in use.
type Cache struct {
	held     *os.File // the directory, locked
	base     string   // a path to it that nobody can redirect
	identity [sha256.Size]byte
	max      int64

	mu    sync.Mutex
	inUse map[Key]int // entries that Find returned and that were not released
}

// Open opens a cache directory, creates it if necessary, and locks it. When the entries together
// exceed max bytes, entries of the account that holds most are removed, the least recently used first.
//
// # Errors
//
//   - the directory is a symbolic link, belongs to another user, or may be written by others.
//   - [ErrInUse].
//   - the system is not Linux.
func Open(dir string, max int64) (*Cache, error) {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	held, base, err := openPrivate(dir)
	if err != nil {
		return nil, err
	}
	c := &Cache{held: held, base: base, max: max, inUse: map[Key]int{}}
	if c.identity, err = identity(); err != nil {
		held.Close()
		return nil, fmt.Errorf("identifying this program: %w", err)
	}
	for _, name := range c.names() { // left by a process that died while it wrote them
		if strings.HasPrefix(name, unfinished) {
			_ = os.RemoveAll(filepath.Join(c.base, name))
		}
	}
	return c, nil
}

// Path returns the path of a file of the caller's own in the directory, which is as private as the
// entries. Open removes files whose names begin with "new-".
func (c *Cache) Path(name string) string { return filepath.Join(c.base, name) }

// Close unlocks the directory.
func (c *Cache) Close() { c.held.Close() }

// Key returns the key of an entry of an account that was made of parts by this program on this kind of
// processor.
func (c *Cache) Key(account string, parts ...[]byte) Key {
	h := sha256.New()
	h.Write(c.identity[:])
	for _, p := range parts {
		sum := sha256.Sum256(p) // of even length, so that no parts run into each other
		h.Write(sum[:])
	}
	whose := sha256.Sum256([]byte(account))
	return Key{[sha256.Size]byte(h.Sum(nil)), [8]byte(whose[:])}
}

// An entry is a directory named after its key. It contains the directory code, and the seal of
// that.
const (
	codeName   = "code"
	sealName   = "seal"
	unfinished = "new-"
)

// Find returns the code directory of an entry whose every byte is as it was kept, or "" if there is
// no such entry. The caller calls release when it no longer needs the directory.
//
// # Errors
//
// The entry was damaged. Find has removed it.
func (c *Cache) Find(key Key) (dir string, release func(), err error) {
	entry := filepath.Join(c.base, key.String())
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := os.Lstat(entry); errors.Is(err, fs.ErrNotExist) {
		return "", nil, nil
	}
	if err := checkSeal(entry, key); err != nil {
		_ = os.RemoveAll(entry)
		return "", nil, fmt.Errorf("compile cache: entry %.12s: %w", key, err)
	}
	now := time.Now()
	_ = os.Chtimes(filepath.Join(entry, sealName), now, now) // for evict
	c.inUse[key]++
	return filepath.Join(entry, codeName), func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.inUse[key]--; c.inUse[key] == 0 {
			delete(c.inUse, key)
		}
	}, nil
}

// Remove removes an entry that proved useless.
func (c *Cache) Remove(key Key) { _ = os.RemoveAll(filepath.Join(c.base, key.String())) }

// Draft is an entry that is being made.
type Draft struct {
	cache *Cache
	dir   string
}

// Begin makes a new, empty entry. It ends with Keep or Drop.
func (c *Cache) Begin() (*Draft, error) {
	dir, err := os.MkdirTemp(c.base, unfinished)
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(filepath.Join(dir, codeName), 0o700); err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	return &Draft{c, dir}, nil
}

// Dir is the directory for the code.
func (d *Draft) Dir() string { return filepath.Join(d.dir, codeName) }

// Drop removes the entry.
func (d *Draft) Drop() { _ = os.RemoveAll(d.dir) }

// Keep seals the entry and makes it the one of a key, or drops it if there is one by now. An error
// means that it was dropped.
func (d *Draft) Keep(key Key) error {
	c := d.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	entry := filepath.Join(c.base, key.String())
	if _, err := os.Lstat(entry); err == nil { // another goroutine made it meanwhile, and it may be in use
		d.Drop()
		return nil
	}
	if err := writeSeal(d.dir, key); err != nil {
		d.Drop()
		return fmt.Errorf("compile cache: %w", err)
	}
	if err := os.Rename(d.dir, entry); err != nil {
		d.Drop()
		return fmt.Errorf("compile cache: %w", err)
	}
	c.evict(key)
	return nil
}

// names lists the directory.
func (c *Cache) names() []string {
	entries, err := os.ReadDir(c.base)
	if err != nil {
		return nil
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}
