package bundle

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"path"
	"slices"
	"strings"
)

// File is a file inside a module.
type File struct {
	Path    string // from the root, without the first slash: "lib/json.lua"
	Content []byte
}

// Bounds of the files of a module.
const (
	// MaxFiles is the most files and directories of a module.
	MaxFiles = 10_000
	// MaxContent is the most bytes of all files of a module.
	MaxContent = 64 << 20
)

// The types of nodes, by WASI's numbers.
const (
	characterDevice = 2
	directory       = 3
	regularFile     = 4
)

// stdin is where programs find standard input that can read files only.
const stdin = "dev/stdin"

// node is a file or a directory. The layout of the segment is in files.wat.
type node struct {
	path    string
	of      uint32 // type
	content []byte
	hash    uint64
}

// Offsets and sizes of the segment.
const (
	headBytes = 24
	nodeBytes = 32
	padding   = 8 // so that a word can be read at every offset
)

// volume returns the segment with files and arguments.
func volume(files []File, arguments []string) ([]byte, error) {
	nodes, err := nodesOf(files)
	if err != nil {
		return nil, err
	}
	number := make(map[string]uint32, len(nodes))
	for i, n := range nodes {
		number[n.path] = uint32(i)
	}
	var names, words, contents []byte
	for _, a := range arguments {
		words = append(append(words, a...), 0)
	}
	namesAt := uint32(headBytes + nodeBytes*len(nodes))
	for _, n := range nodes {
		names = append(names, path.Base("/"+n.path)...)
	}
	wordsAt := namesAt + uint32(len(names))
	contentAt := wordsAt + uint32(len(words))

	u32 := binary.LittleEndian.AppendUint32
	out := u32(u32(nil, uint32(len(nodes))), number[""])
	out = u32(u32(out, uint32(len(arguments))), uint32(len(words)))
	out = u32(u32(out, wordsAt), 0)
	for _, n := range nodes {
		name := path.Base("/" + n.path)
		out = binary.LittleEndian.AppendUint64(out, n.hash)
		out = u32(u32(out, contentAt+uint32(len(contents))), uint32(len(n.content)))
		out = u32(u32(out, namesAt), uint32(len(name)))
		out = u32(u32(out, number[above(n.path)]), n.of)
		namesAt += uint32(len(name))
		contents = append(contents, n.content...)
	}
	out = append(append(append(out, names...), words...), contents...)
	return append(out, make([]byte, padding)...), nil
}

// nodesOf returns the files and the directories around them, sorted by hash.
func nodesOf(files []File) ([]node, error) {
	all := map[string]*node{"": {of: directory}}
	bytes := 0
	for _, f := range files {
		if path.Clean("/"+f.Path) != "/"+f.Path || f.Path == "" || strings.ContainsRune(f.Path, 0) {
			return nil, fmt.Errorf("%q is not a path of a file in a module", f.Path)
		}
		if all[f.Path] != nil {
			return nil, fmt.Errorf("two files have the path /%s in the module", f.Path)
		}
		all[f.Path] = &node{path: f.Path, of: regularFile, content: f.Content}
		if bytes += len(f.Content); bytes > MaxContent {
			return nil, fmt.Errorf("the files have more than %d MiB", MaxContent>>20)
		}
		for d := above(f.Path); d != ""; d = above(d) {
			if n := all[d]; n != nil && n.of == regularFile {
				return nil, fmt.Errorf("the path /%s is a file and a directory in the module", d)
			} else if n == nil {
				all[d] = &node{path: d, of: directory}
			}
		}
		if len(all) > MaxFiles {
			return nil, fmt.Errorf("more than %d files and directories", MaxFiles)
		}
	}
	if d := above(stdin); all[d] == nil || all[d].of == directory && all[stdin] == nil {
		all[d], all[stdin] = &node{path: d, of: directory}, &node{path: stdin, of: characterDevice}
	}
	var nodes []node
	for _, n := range all {
		n.hash = hash(n.path)
		nodes = append(nodes, *n)
	}
	slices.SortFunc(nodes, func(a, b node) int { return cmp.Compare(a.hash, b.hash) })
	for i := range nodes[1:] {
		if nodes[i].hash == nodes[i+1].hash {
			return nil, fmt.Errorf("the paths /%s and /%s have the same hash: rename one", nodes[i].path, nodes[i+1].path)
		}
	}
	return nodes, nil
}

// above returns the path of the directory of a path; the root's is the root.
func above(p string) string {
	d := path.Dir(p)
	if d == "." {
		return ""
	}
	return d
}

// hash is the FNV-1a hash, of 64 bits, of a path with a slash before every name; the root's is that
// of no bytes. files.wat computes the same.
func hash(p string) uint64 {
	h := fnv.New64a()
	if p != "" {
		io.WriteString(h, "/"+p)
	}
	return h.Sum64()
}
