// Package codecache keeps compiled code in a directory, so that a program that starts again need
// not compile it again.
//
// Code from the cache runs in the process, outside of every sandbox: a user who can write the
// directory controls the program. Therefore [Open] only accepts a directory that nobody else can
// write. An entry is a file. It is used only by the very program that wrote it, on a processor with the
// same features, and only if not a bit of it has changed; everything else is a cache miss, which costs
// a compilation.
package codecache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
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

// String returns the name of the entry's file.
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

// Cache is a directory of entries. It is safe for concurrent use.
type Cache struct {
	held     *os.File // the directory, locked
	base     string   // a path to it that nobody can redirect
	identity [sha256.Size]byte
	max      int64

	mu sync.Mutex // held while an entry is looked at, made or removed
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
	c := &Cache{held: held, base: base, max: max}
	if c.identity, err = identity(); err != nil {
		held.Close()
		return nil, fmt.Errorf("identifying this program: %w", err)
	}
	for _, e := range c.list() {
		_, isEntry := parseKey(e.Name())
		if strings.HasPrefix(e.Name(), unfinished) || isEntry && e.IsDir() { // of a process that died while it wrote it, or of an earlier version
			_ = os.RemoveAll(filepath.Join(c.base, e.Name()))
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

// The name of a file that is not an entry yet begins with unfinished.
const unfinished = "new-"

// SealBytes is the length of the seal at the end of an entry: the SHA-256 of the key and of what is
// before it. It detects damage by disks, crashes and people. It does not keep attackers out: a user who
// may write the directory may write seals, which is why nobody else may.
const SealBytes = sha256.Size

// Find returns the file of an entry whose every byte is as it was kept, or nil if there is no such
// entry. The caller closes it. It stays readable when the entry is removed.
//
// # Errors
//
// The entry was damaged. Find has removed it.
func (c *Cache) Find(key Key) (*os.File, error) {
	entry := filepath.Join(c.base, key.String())
	c.mu.Lock()
	defer c.mu.Unlock()
	f, err := os.OpenFile(entry, os.O_RDONLY|syscall.O_NONBLOCK|noFollow, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = checkEntry(f, key)
	}
	if err != nil {
		f.Close()
		_ = os.RemoveAll(entry)
		return nil, fmt.Errorf("compile cache: entry %.12s: %w", key, withoutPath(err))
	}
	now := time.Now()
	_ = os.Chtimes(entry, now, now) // for evict
	return f, nil
}

// checkEntry returns an error that describes the damage of an entry; nil if it is intact.
func checkEntry(f *os.File, key Key) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("it is not a file")
	}
	if err := checkOwner(info); err != nil {
		return err
	}
	size := max(info.Size()-SealBytes, 0)
	sum, err := sealOf(io.NewSectionReader(f, 0, size), key)
	if err != nil {
		return err
	}
	was, err := io.ReadAll(io.NewSectionReader(f, size, SealBytes))
	if err != nil {
		return err
	}
	if !bytes.Equal(was, sum) {
		return errors.New("it is not as it was kept: its seal does not fit")
	}
	return nil
}

// sealOf computes the seal of a code.
func sealOf(code io.Reader, key Key) ([]byte, error) {
	h := sha256.New()
	h.Write(key.input[:])
	_, err := io.Copy(h, code)
	return h.Sum(nil), err
}

// Remove removes an entry that proved useless.
func (c *Cache) Remove(key Key) { _ = os.RemoveAll(filepath.Join(c.base, key.String())) }

// Draft is an entry that is being made.
type Draft struct {
	cache *Cache
	path  string
}

// Begin makes a new entry, and returns its empty file, which the caller closes. The entry ends with
// Keep or Drop.
func (c *Cache) Begin() (*Draft, *os.File, error) {
	f, err := os.CreateTemp(c.base, unfinished)
	if err != nil {
		return nil, nil, err
	}
	return &Draft{c, f.Name()}, f, nil
}

// Drop removes the entry.
func (d *Draft) Drop() { _ = os.Remove(d.path) }

// Keep seals the entry and makes it the one of a key, or drops it if there is one by now. An error
// means that it was dropped.
func (d *Draft) Keep(key Key) error {
	c := d.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	entry := filepath.Join(c.base, key.String())
	if _, err := os.Lstat(entry); err == nil { // another goroutine made it meanwhile
		d.Drop()
		return nil
	}
	err := d.seal(key)
	if err == nil {
		err = os.Rename(d.path, entry)
	}
	if err != nil {
		d.Drop()
		return fmt.Errorf("compile cache: %w", err)
	}
	c.evict(key)
	return nil
}

// seal appends the seal to the file.
func (d *Draft) seal(key Key) error {
	f, err := os.OpenFile(d.path, os.O_RDWR|noFollow, 0)
	if err != nil {
		return err
	}
	sum, err := sealOf(f, key)
	if err == nil {
		_, err = f.Write(sum) // at the end
	}
	return errors.Join(err, f.Close()) // without Sync: the seal shows the damage of a crash
}

// list lists the directory.
func (c *Cache) list() []fs.DirEntry {
	entries, _ := os.ReadDir(c.base) // without the rest, entries stay longer
	return entries
}

// withoutPath removes the path from an error: it leads through a descriptor, which means nothing to
// a reader.
func withoutPath(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
