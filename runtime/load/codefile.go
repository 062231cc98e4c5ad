package load

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"unsafe"

	"github.com/tetratelabs/wazero"
)

// codeFile is a file with the compiled code of one module: the engine's key, which identifies the
// module's bytes, the engine's version and the processor's features, and then the code in the
// engine's format. The file is a memory file from the vetting child, or an entry of the compile
// cache. It belongs to one goroutine.
//
// It implements the engine's interface for a file cache.
type codeFile struct {
	file    *os.File
	seal    int64  // bytes at the end of the file that are no code
	most    int64  // bytes that Add writes; 0: the file is only read
	err     error  // the reason why Add wrote nothing
	release func() // called by close, if not nil
}

// codeKey is the engine's key of a module's code.
type codeKey = [sha256.Size]byte

// Get implements the engine's file cache. A file with the code of another module is an error: it
// cannot happen by mistake.
func (c *codeFile) Get(key codeKey) (io.ReadCloser, bool, error) {
	if c.most > 0 {
		return nil, false, nil
	}
	var has codeKey
	if _, err := c.file.ReadAt(has[:], 0); err != nil {
		return nil, false, fmt.Errorf("reading the compiled code: %w", err)
	}
	if has != key {
		return nil, false, errors.New("the compiled code was made of another module, by another engine, or for another processor")
	}
	size, err := c.size()
	if err != nil {
		return nil, false, fmt.Errorf("reading the compiled code: %w", err)
	}
	return io.NopCloser(io.NewSectionReader(c.file, int64(len(has)), size-int64(len(has)))), true, nil
}

// Add implements the engine's file cache. Code that cannot be stored leaves the file empty, and Add
// returns nil: the module was compiled.
func (c *codeFile) Add(key codeKey, code io.Reader) error {
	if c.most == 0 {
		return errors.New("the compiled code is not to be changed")
	}
	if c.err = c.write(key, code); c.err != nil {
		_ = c.file.Truncate(0)
	}
	return nil
}

func (c *codeFile) write(key codeKey, code io.Reader) error {
	if _, err := c.file.Write(key[:]); err != nil {
		return err
	}
	left := c.most - int64(len(key))
	n, err := io.Copy(c.file, io.LimitReader(code, left))
	if err != nil {
		return err
	}
	if n == left {
		return fmt.Errorf("the compiled code has more than the %d bytes that it may have", c.most)
	}
	return nil
}

// codePerByte bounds the bytes of compiled code per byte of a module: 3.4 for JavaScript's engine,
// 3.9 for Go, 5.5 for Zig. Modules with a higher ratio are small.
const codePerByte = 4

// hasRoom reports whether the code of a module of so many bytes probably fits into the file. If
// not, the engine is not given the file, because it would first allocate a copy of the code. A file
// that is only read, or nil, has room.
func (c *codeFile) hasRoom(wasm int) bool {
	return c == nil || c.most == 0 || codePerByte*int64(wasm) <= c.most
}

// Delete implements the engine's file cache. The owner of the file deletes it.
func (*codeFile) Delete(codeKey) error { return nil }

func (c *codeFile) size() (int64, error) {
	info, err := c.file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size() - c.seal, nil
}

// close closes the file. A nil codeFile is closed.
func (c *codeFile) close() {
	if c == nil {
		return
	}
	_ = c.file.Close()
	if c.release != nil {
		c.release()
	}
}

// compilationCache returns a cache for one engine that reads its code from the file or writes it
// there.
//
// wazero makes caches of directories only, and a vetting child has no writable directory: its root
// is read-only. The field that this sets has had its name and its type since wazero 1.0;
// TestCodeFileIsTheEnginesCache fails when that changes.
func (c *codeFile) compilationCache() (wazero.CompilationCache, error) {
	cache := wazero.NewCompilationCache()
	field := reflect.ValueOf(cache).Elem().FieldByName("fileCache")
	if !field.IsValid() || field.Kind() != reflect.Interface || !reflect.TypeFor[*codeFile]().Implements(field.Type()) {
		return nil, errors.New("this version of wazero has no place for a file cache of our own")
	}
	reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().Set(reflect.ValueOf(c))
	return cache, nil
}
