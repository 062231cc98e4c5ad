package runtime

import (
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// contents are the files of a scan, sorted by their purpose.
type contents struct {
	modules        map[string][]*job      // the packings of each module, by base
	sidecars       map[string]*watch.File // by the base of their module
	unreadSidecars map[string]string      // why a sidecar could not be read, by base
	removals       map[string]watch.File  // tombstones, by base
	skipped        []watch.Skipped        // files that could not be read
	present        map[string]bool        // bases that have a module file, readable or not
	rejected       map[string]string      // why a file is not used, by file
}

// sortFiles sorts the files of a snapshot into modules, sidecars, removals and rejected files.
// Files that are not the registry's, such as those of a Subscriber, are left out.
func sortFiles(s watch.Snapshot) *contents {
	c := &contents{
		modules: map[string][]*job{}, sidecars: map[string]*watch.File{}, unreadSidecars: map[string]string{},
		removals: map[string]watch.File{}, present: map[string]bool{}, rejected: map[string]string{},
	}
	for i, f := range s.Files {
		if plain := plainName(f.Name); wanted(plain) && !sums.Is(plain) {
			c.add(f, &s.Files[i])
		}
	}
	for _, f := range s.Skipped {
		if plain := plainName(f.Name); plain != "." && !wanted(plain) || plain == sums.ListFile { // the list has its own status
			continue
		}
		c.skipped = append(c.skipped, f)
		if base, ok := sidecarBase(f.Name); ok {
			c.unreadSidecars[base] = f.Reason
		}
		if name, err := artifact.ParseOwned(f.Name); err == nil {
			c.present[name.Base] = true // it exists, so the serving module is not an orphan
		}
	}
	for base, f := range c.sidecars {
		if !c.present[base] {
			c.rejected[f.Name] = "there is no module " + base + ".wasm, .wasm.gz or .wasm.zst beside it"
		}
	}
	return c
}

// add sorts one file, which kept points to.
func (c *contents) add(f watch.File, kept *watch.File) {
	if base, ok := sidecarBase(f.Name); ok {
		c.sidecars[base] = kept
		return
	}
	if base, ok := strings.CutSuffix(f.Name, Tombstone); ok {
		c.removals[base] = f
		return
	}
	if right := artifact.Misspelled(plainName(f.Name)); right != "" {
		c.rejected[f.Name] = "it is ignored under this name; rename it to " + right
		return
	}
	name, err := artifact.ParseOwned(f.Name)
	if err != nil {
		c.rejected[f.Name] = err.Error()
		return
	}
	c.modules[name.Base] = append(c.modules[name.Base], &job{name: name, file: f})
	c.present[name.Base] = true
}

// plainName is the name of a file within its owner's directory.
func plainName(file string) string {
	_, plain := watch.SplitOwner(file)
	return plain
}

// sidecarBase is artifact.SidecarBase for the name of a file with or without an owner.
func sidecarBase(file string) (base string, ok bool) {
	owner, plain := watch.SplitOwner(file)
	base, ok = artifact.SidecarBase(plain)
	return watch.JoinOwner(owner, base), ok
}

// applyChecksums filters the files by SHA256SUMS before anything is planned. It drops tombstones
// and packings that the list does not allow. If the list allows no packing of a module, or not its
// sidecar, the module's jobs are marked as denied. A sidecar that the list has must be there:
// without it the module would have to pass fewer checks than its author listed.
func (c *contents) applyChecksums(list *sums.Check) {
	for base, f := range c.removals {
		if err := list.File(f); err != nil {
			c.rejected[f.Name] = err.Error()
			delete(c.removals, base)
		}
	}
	for base, packings := range c.modules {
		for _, j := range packings {
			j.beside, j.unread = c.sidecars[base], c.unreadSidecars[base]
			j.denied = list.File(j.file)
			_, j.signer = list.For(j.name.Owner).Listing()
		}
		if slices.ContainsFunc(packings, func(j *job) bool { return j.denied == nil }) {
			c.modules[base] = slices.DeleteFunc(packings, func(j *job) bool {
				if j.denied != nil {
					c.rejected[j.name.File] = j.denied.Error()
				}
				return j.denied != nil
			})
		}
		for _, j := range c.modules[base] {
			switch {
			case j.denied != nil:
			case j.beside != nil:
				j.denied = list.File(*j.beside)
			case j.unread == "":
				j.denied = list.Missing(base + artifact.SidecarEnding)
			}
		}
	}
}
