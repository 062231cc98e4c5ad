package write

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// preamble is how a WebAssembly component begins.
const preamble = "\x00asm\x0d\x00\x01\x00"

// refuseComponent returns an error that names the imports of a component; nil if the file is none, or
// cannot be read: whoever reads it says so.
func refuseComponent(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	head := make([]byte, len(preamble))
	if _, err := io.ReadFull(f, head); err != nil || string(head) != preamble {
		return nil
	}
	const shown = 4
	with := "without imports"
	if names := componentImports(f); len(names) > shown {
		with = fmt.Sprintf("with imports (%s and %d more)", strings.Join(names[:shown], ", "), len(names)-shown)
	} else if len(names) > 0 {
		with = fmt.Sprintf("with imports (%s)", strings.Join(names, ", "))
	}
	return command.Usagef("%s is a component %s; only core modules can be run: build the same source for wasm32-wasip1, or name an interpreter and scripts (see Interpreters in sdk/README.md)", file, with)
}

// The bounds of componentImports, which returns the names that it has found until then.
const (
	maxComponentSections = 10_000
	maxComponentNames    = 10_000
	maxComponentName     = 200 // bytes that are shown of a name
	componentImport      = 10  // the id of a section of imports
)

// componentImports returns the names of a component's imports, sorted. The file is after its
// preamble. Other sections, such as those with modules and components inside, are passed by.
func componentImports(f io.ReadSeeker) (names []string) {
	for range maxComponentSections {
		if len(names) >= maxComponentNames {
			break
		}
		var header [1]byte
		if _, err := io.ReadFull(f, header[:]); err != nil {
			break
		}
		size, err := binary.ReadUvarint(single{f})
		if err != nil {
			break
		}
		begin, err := f.Seek(0, io.SeekCurrent)
		if err != nil {
			break
		}
		if header[0] == componentImport {
			names = append(names, importNames(bufio.NewReader(io.LimitReader(f, int64(min(size, maxSource)))))...)
		}
		if _, err := f.Seek(begin+int64(min(size, 1<<40)), io.SeekStart); err != nil {
			break
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// importNames reads a section of imports up to something that it does not know.
func importNames(r *bufio.Reader) (names []string) {
	count, err := binary.ReadUvarint(r)
	for ; err == nil && count > 0 && len(names) < maxComponentNames; count-- {
		var name string
		if name, err = importName(r); err != nil {
			break
		}
		names = append(names, name)
		err = passDescription(r)
	}
	return names
}

func importName(r *bufio.Reader) (string, error) {
	if _, err := r.ReadByte(); err != nil { // the form of the name
		return "", err
	}
	length, err := binary.ReadUvarint(r)
	if err != nil {
		return "", err
	}
	text := make([]byte, min(length, maxComponentName))
	if _, err := io.ReadFull(r, text); err != nil {
		return "", err
	}
	_, err = r.Discard(int(min(length, maxSource)) - len(text))
	return foreign.Clean(text, maxComponentName), err
}

// passDescription passes by the description of an import: its sort, and an index, or a bound with an index.
func passDescription(r *bufio.Reader) error {
	sort, err := r.ReadByte()
	if err != nil {
		return err
	}
	switch sort {
	case 0x00, 0x02, 0x03: // a core module, a value, a type: a byte more
		form, err := r.ReadByte()
		if err != nil || sort == 0x03 && form == 0x01 { // a resource has no index
			return err
		}
	case 0x01, 0x04, 0x05: // a function, an instance, a component
	default:
		return io.ErrUnexpectedEOF
	}
	_, err = binary.ReadUvarint(r)
	return err
}

// single reads a byte at a time, so that nothing behind a number is read with it.
type single struct{ io.Reader }

func (s single) ReadByte() (byte, error) {
	var b [1]byte
	_, err := io.ReadFull(s.Reader, b[:])
	return b[0], err
}
