package sums

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// Check is the verdict of the list of one directory snapshot on its files. It does not change once
// made. The zero value is the verdict of a directory without a list, where every file may be used.
type Check struct {
	list     list
	sum      [sha256.Size]byte // of the list's file
	signedBy string
	problem  error
	waits    bool
	differs  string

	owners map[string]*Check // see Join
}

// Of verifies the signature of a snapshot's list, if there are keys, and only then reads the list.
// It does not read other files. leftOut says that the directory may have a list although the
// snapshot does not.
func Of(snapshot watch.Snapshot, keys Keys, leftOut bool) *Check {
	c := &Check{}
	var content *watch.File
	var signatures []watch.File
	for i, f := range snapshot.Files {
		switch f.Name {
		case ListFile:
			content, c.sum = &snapshot.Files[i], f.Sum
		case SignatureFile, BundleFile:
			signatures = append(signatures, f)
		}
	}
	for _, s := range snapshot.Skipped {
		if s.Name == ListFile || isSignature(s.Name) && len(keys) > 0 {
			c.problem = fmt.Errorf("%s cannot be read: it %s", s.Name, s.Reason)
			c.waits = snapshot.Unsettled // it may be being written: the next snapshot is near
			return c
		}
	}
	switch {
	case content == nil && leftOut:
		c.problem = fmt.Errorf("the directory has more files than are read, and %s is not among them: take files out of it", ListFile)
		return c
	case content == nil && len(keys) > 0:
		c.problem = fmt.Errorf("there is no %s, which --verify-key demands: write it with sha256sum, and sign it", ListFile)
		return c
	case content == nil:
		return c
	case len(keys) > 0 && len(signatures) == 0:
		c.problem = fmt.Errorf("there is no %s or %s, which --verify-key demands: sign %s", SignatureFile, BundleFile, ListFile)
		return c
	}
	if len(keys) > 0 {
		for _, f := range signatures { // one good signature is enough; otherwise the error is the last one, of the bundle
			if c.signedBy, c.problem = keys.verify(content.Content, f.Name, f.Content); c.problem == nil {
				break
			}
		}
		if c.problem != nil {
			return c
		}
	}
	if c.list, c.problem = parse(content.Content); c.problem != nil {
		c.problem = fmt.Errorf("%s: %w", ListFile, c.problem)
		return c
	}
	for _, f := range snapshot.Files {
		if sum, listed := c.list[f.Name]; listed && sum != f.Sum {
			c.differs = f.Name
			break
		}
	}
	return c
}

// File says why a file may not be used; nil if it may.
func (c *Check) File(f watch.File) error {
	if owner, name := watch.SplitOwner(f.Name); owner != "" {
		f.Name = name
		return c.For(owner).File(f)
	}
	if c.problem != nil {
		return c.problem
	}
	if c.list == nil {
		return nil
	}
	switch sum, listed := c.list[f.Name]; {
	case !listed:
		return fmt.Errorf("%s does not list %s: add it there if it is meant to be used", ListFile, f.Name)
	case sum != f.Sum:
		return fmt.Errorf("%s has sha256 %s for %s, which has %s: they are of different releases, or one was tampered with", ListFile, short(sum), f.Name, short(f.Sum))
	}
	return nil
}

// Missing returns an error if the list has a file that is absent; nil if the list does not have it
// either.
func (c *Check) Missing(name string) error {
	if owner, plain := watch.SplitOwner(name); owner != "" {
		return c.For(owner).Missing(plain)
	}
	if _, listed := c.list[name]; listed {
		return fmt.Errorf("%s lists %s, which is not there", ListFile, name)
	}
	return nil
}

// Absent returns the names on the list that is says yes to, and that are not in the snapshot. They
// are sorted.
func (c *Check) Absent(snapshot watch.Snapshot, is func(name string) bool) (names []string) {
	there := map[string]bool{}
	for _, f := range snapshot.Files {
		there[f.Name] = true
	}
	for _, f := range snapshot.Skipped {
		there[f.Name] = true
	}
	for name := range c.list {
		if is(name) && !there[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Whole returns an error if no file in use should be replaced by another version yet: a file of the
// snapshot, of any module, does not match the list, so old and new files would be mixed.
func (c *Check) Whole() error {
	if c.differs != "" {
		return errors.New("waiting: the files in " + ListFile + " are replaced together, and " + c.differs + " does not match it yet")
	}
	return nil
}

// Waits reports that the list or its signature is being written, so it is too early for a verdict.
func (c *Check) Waits() bool { return c.waits }

// Listing reports whether a list decides which files may be used. by is the key that signed it, ""
// without keys.
func (c *Check) Listing() (yes bool, by string) { return c.list != nil, c.signedBy }

// Sum is the SHA-256 of the list's file, if the directory has one.
func (c *Check) Sum() (sum [sha256.Size]byte, ok bool) { return c.sum, c.sum != [sha256.Size]byte{} }

// Problem returns the error that forbids every file; nil if the list is valid or absent without
// need.
func (c *Check) Problem() error { return c.problem }
