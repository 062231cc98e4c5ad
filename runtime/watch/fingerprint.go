package watch

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"os"
	"slices"
)

// fingerprint distinguishes two states of a directory without reading a file. Equal fingerprints
// can hide a change that left every attribute as it was.
type fingerprint [sha256.Size]byte

// fingerprintOf covers the directory itself, the target of its ..data, and the names, inodes, sizes
// and times of its entries. An entry that cannot be examined contributes its error. It costs a
// system call or two for an entry and, like a snapshot, stops after maxNames entries.
func fingerprintOf(dir string) fingerprint {
	h := sha256.New()
	root, err := openDirectory(os.Stat, os.OpenRoot, dir)
	if err != nil {
		fmt.Fprintf(h, "%v\n", err)
		return fingerprint(h.Sum(nil))
	}
	defer root.Close()
	enter(h, root, ".")
	enter(h, root, dataLink)
	names, _, err := list(root)
	if err != nil {
		fmt.Fprintf(h, "%v\n", err)
	}
	slices.Sort(names)
	for _, name := range names {
		enter(h, root, name)
	}
	return fingerprint(h.Sum(nil))
}

// enter adds the attributes of an entry, or of its link's target. It follows links within the
// directory only, because a snapshot does not read anything outside of it.
func enter(h hash.Hash, root *os.Root, name string) {
	info, err := root.Stat(name)
	if err != nil {
		fmt.Fprintf(h, "%q %v\n", name, err)
		return
	}
	device, inode := identity(info)
	if info.IsDir() {
		// Its size and times change with entries that do not matter, such as temporary names.
		fmt.Fprintf(h, "%q directory %d %d\n", name, device, inode)
		return
	}
	fmt.Fprintf(h, "%q %v %d %d %d %d %d\n", name, info.Mode(), device, inode, info.Size(), info.ModTime().UnixNano(), changeTime(info).UnixNano())
}
