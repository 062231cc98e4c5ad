package watch

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"os"
	"slices"
)

// fingerprint tells two states of a directory apart without reading a file. Equal ones can hide a change that left every
// attribute as it was.
type fingerprint [sha256.Size]byte

// fingerprintOf looks at the directory itself, where its ..data leads, and the names, inodes, sizes and times of what it
// holds. What cannot be looked at is part of it as the error it gives. It costs a system call or two for an entry and, like a
// snapshot, ends after maxNames entries.
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

// enter adds what an entry, or what it is a link to, shows of itself. Links are followed within the directory only: what
// lies outside is no part of a snapshot.
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
