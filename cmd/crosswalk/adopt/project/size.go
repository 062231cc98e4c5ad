package project

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/gocmd"
)

// Portion is the part of a module that comes from one package, in bytes.
type Portion struct {
	Name  string
	Bytes int
}

// The parts of a module that no package has of its own.
const (
	PartData = "data (types, tables of the runtime, strings)"
	PartMade = "functions that the compiler makes"
)

// Portions builds the module with names of functions, and returns the bytes of each package, the
// largest first.
func Portions(ctx context.Context, dir string, tags string) ([]Portion, error) {
	temporary, err := os.MkdirTemp("", "crosswalk-adopt")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(temporary) }()
	file := filepath.Join(temporary, "named.wasm")
	if err := Build(ctx, dir, file, tags, "-w"); err != nil {
		return nil, err
	}
	module, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	list, err := gocmd.OutputWith(ctx, wasmEnvironment(), dir, "list", "-mod=vendor", "-deps", "-tags="+tags, "-f={{.ImportPath}}", ".")
	if err != nil {
		return nil, err
	}
	packages := map[string]string{"main": "main"}
	for _, path := range strings.Fields(list) {
		packages[written(path)] = path
	}
	return measurePortions(module, packages)
}

// Sections of a module.
const (
	sectionCustom = 0
	sectionImport = 2
	sectionCode   = 10
	sectionData   = 11
)

var errMalformed = errors.New("the module's sections are malformed")

// measurePortions adds up the bodies of functions by the package in their names.
func measurePortions(module []byte, packages map[string]string) ([]Portion, error) {
	if len(module) < 8 {
		return nil, errMalformed
	}
	sections := map[byte][]byte{}
	for r := (sectionReader{module[8:]}); len(r.rest) > 0; {
		id := r.rest[0]
		r.rest = r.rest[1:]
		content, ok := r.bytes()
		if !ok {
			return nil, errMalformed
		}
		if id == sectionCustom {
			inner := sectionReader{content}
			if name, ok := inner.bytes(); !ok || string(name) != "name" {
				continue
			}
			content = inner.rest
		}
		sections[id] = content
	}
	names, err := functionNames(sections[sectionCustom])
	if err != nil {
		return nil, err
	}
	imported, err := importedFunctions(sections[sectionImport])
	if err != nil {
		return nil, err
	}
	sum := map[string]int{PartData: len(sections[sectionData])}
	code := sectionReader{sections[sectionCode]}
	count, ok := code.number()
	for i := 0; ok && i < count; i++ {
		body, whole := code.bytes()
		if !whole {
			return nil, errMalformed
		}
		sum[packageOf(names[imported+i], packages)] += len(body)
	}
	var list []Portion
	for _, name := range slices.Sorted(maps.Keys(sum)) {
		list = append(list, Portion{name, sum[name]})
	}
	slices.SortStableFunc(list, func(a, b Portion) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return list, nil
}

// functionNames reads the names of functions from the name section.
func functionNames(section []byte) (map[int]string, error) {
	names := map[int]string{}
	for r := (sectionReader{section}); len(r.rest) > 0; {
		id := r.rest[0]
		r.rest = r.rest[1:]
		content, ok := r.bytes()
		if !ok {
			return nil, errMalformed
		}
		if id != 1 {
			continue
		}
		list := sectionReader{content}
		for count, _ := list.number(); count > 0; count-- {
			index, ok := list.number()
			name, whole := list.bytes()
			if !ok || !whole {
				return nil, errMalformed
			}
			names[index] = string(name)
		}
	}
	return names, nil
}

// importedFunctions counts the functions before those with code. Go's linker imports nothing else.
func importedFunctions(section []byte) (int, error) {
	r := sectionReader{section}
	n, ok := r.number()
	if len(section) > 0 && !ok {
		return 0, errMalformed
	}
	return n, nil
}

// packageOf returns the package of a function: the longest that the name begins with.
func packageOf(function string, packages map[string]string) string {
	for end := len(function); ; {
		end = strings.LastIndexByte(function[:end], '.')
		if end < 0 {
			return PartMade // such as type:.eq.T
		}
		if path := packages[function[:end]]; path != "" {
			return path
		}
	}
}

// written returns an import path as the linker writes it to the name section.
func written(path string) string {
	return strings.Map(func(r rune) rune {
		if r == '.' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, path)
}

// sectionReader reads WebAssembly's encoding.
type sectionReader struct{ rest []byte }

func (r *sectionReader) number() (int, bool) {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n > 1<<31 {
		return 0, false
	}
	r.rest = r.rest[size:]
	return int(n), true
}

// bytes reads a length and as many bytes.
func (r *sectionReader) bytes() ([]byte, bool) {
	n, ok := r.number()
	if !ok || n > len(r.rest) {
		return nil, false
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b, true
}
