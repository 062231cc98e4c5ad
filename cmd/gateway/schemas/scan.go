package schemas

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/schema"
	"github.com/crosswalk-gateway/crosswalk/internal/sums"
	"github.com/crosswalk-gateway/crosswalk/internal/watch"
	"github.com/crosswalk-gateway/crosswalk/runtime"
)

// maxDefinition bounds the file of a CustomResourceDefinition: it is the limit of package schema,
// and more than etcd stores.
const maxDefinition = 4 << 20

// definitionRemoved ends the name of a file that takes a definition out of service, as .removed
// does for modules: <plural>.<group>.crd.removed.
const definitionRemoved = ".crd" + runtime.Tombstone

// startPatience bounds the wait at the start for a file that is still being written; the modules
// have the same bound.
const startPatience = 10 * time.Second

// isDefinition reports whether a file of the module directory has a CustomResourceDefinition. The
// runtime ignores these files.
func isDefinition(name string) bool {
	return strings.HasSuffix(name, ".crd.yaml") || strings.HasSuffix(name, ".crd.json")
}

// definitionBase is the name of a definition's file without its last extension:
// <plural>.<group>.crd.
func definitionBase(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, ".yaml"), ".json")
}

// FileLimit returns the most bytes of a definition's file; 0 for other files. It implements
// runtime.Subscriber.
func (s *Schemas) FileLimit(name string) int64 {
	if isDefinition(name) {
		return maxDefinition
	}
	return 0
}

// Scanned reads the definitions of a scan of the module directory. It implements
// runtime.Subscriber.
func (s *Schemas) Scanned(ctx context.Context, scan runtime.Scan) (again bool) {
	if err := scan.Err; err != nil {
		s.mu.Lock()
		if s.cause != err.Error() {
			s.config.Logger.Error("cannot read schemas; using the previous ones", "err", err)
		}
		s.read, s.cause = true, err.Error()
		s.mu.Unlock()
		return false
	}
	snapshot, list := scan.Snapshot, scan.Checksums
	removed := removedDefinitions(snapshot, list)
	found, again := s.load(ctx, snapshot, list, removed)
	if ctx.Err() != nil {
		return false
	}

	s.mu.Lock()
	s.read, s.cause = s.read || !snapshot.Unsettled || time.Since(s.began) > startPatience, ""
	for name, record := range found {
		if s.files[name] == nil {
			s.files[name] = &definition{}
		}
		record(s.files[name])
	}
	s.recordDeleted(found, snapshot, list, removed)
	s.publish()
	s.mu.Unlock()
	s.Compare()
	return again
}

// load reads the new contents of a snapshot. For each file that stays it returns a function that
// records the result. again asks for another scan, because a file could not be read for a reason
// that may pass.
func (s *Schemas) load(ctx context.Context, snapshot watch.Snapshot, list *sums.Check, removed map[string]bool) (found map[string]func(*definition), again bool) {
	known, kept := s.digests(), s.keptBytes()
	found = map[string]func(*definition){}
	for _, f := range snapshot.Files {
		if !isDefinition(f.Name) || removed[definitionBase(f.Name)] {
			continue
		}
		sum, before := known[f.Name]
		denied := list.File(f)
		switch {
		case list.Waits() && !before:
		case list.Waits(), denied == nil && sum == f.Sum:
			found[f.Name] = func(*definition) {}
		case denied != nil: // recorded without a digest, so that the same content is read once the list allows it
			found[f.Name] = func(d *definition) { s.record(f.Name, d, [32]byte{}, nil, denied) }
		default:
			others := 0 // of this scan, too
			for name, bytes := range kept {
				if name != f.Name {
					others += bytes
				}
			}
			crd, bytes, err := s.parse(ctx, f, others)
			if ctx.Err() != nil {
				return nil, false
			}
			if err == nil {
				kept[f.Name] = bytes
			}
			if errors.As(err, new(laterError)) {
				f.Sum, again = [32]byte{}, true
			}
			found[f.Name] = func(d *definition) {
				if s.record(f.Name, d, f.Sum, crd, err); err == nil {
					d.kept = bytes
				}
			}
		}
	}
	for _, f := range snapshot.Skipped {
		if !isDefinition(f.Name) || removed[definitionBase(f.Name)] {
			continue // the registry of the modules logs other skipped files
		}
		_, before := known[f.Name]
		switch {
		case !snapshot.Unsettled:
			found[f.Name] = func(d *definition) { s.record(f.Name, d, [32]byte{}, nil, errors.New("it "+f.Reason)) }
		case before: // someone may be writing it; the next scan decides
			found[f.Name] = func(*definition) {}
		}
	}
	return found, again
}

// removedDefinitions returns the definitions that a file takes out of service, by definitionBase.
func removedDefinitions(snapshot watch.Snapshot, list *sums.Check) map[string]bool {
	removed := map[string]bool{}
	for _, f := range snapshot.Files {
		if strings.HasSuffix(f.Name, definitionRemoved) && list.File(f) == nil {
			removed[strings.TrimSuffix(f.Name, runtime.Tombstone)] = true
		}
	}
	return removed
}

// digests returns the digests of the newest contents, good or not.
func (s *Schemas) digests() map[string][32]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	digests := map[string][32]byte{}
	for name, d := range s.files {
		digests[name] = d.sum
		if d.err != nil {
			digests[name] = d.failed
		}
	}
	return digests
}

// parse reads a file. Its name must follow from its content, so that one kind has one file. kept is
// how many bytes of memory the definition keeps; others is how many the other definitions keep.
func (s *Schemas) parse(ctx context.Context, f watch.File, others int) (crd *schema.CRD, kept int, err error) {
	doc, kept, err := readInChild(ctx, s.program, s.memory, f.Content)
	if err != nil {
		return nil, 0, err
	}
	if kept+others > s.most {
		return nil, 0, fmt.Errorf("it takes %d MiB of memory, and with the other definitions more than %d MiB: simplify the schemas, or remove definitions", kept>>20, s.most>>20)
	}
	if crd, err = schema.Parse(doc); err != nil {
		return nil, 0, err
	}
	if s.config.Enforce && len(crd.Skipped) > 0 {
		return nil, 0, fmt.Errorf("%s (--schema-check=enforce needs rules that the gateway can check)", crd.Skipped[0])
	}
	base := strings.TrimSuffix(crd.FileName(), ".yaml")
	if f.Name != base+".yaml" && f.Name != base+".json" {
		return nil, 0, fmt.Errorf("the file has the CustomResourceDefinition %s; rename it to %s", strings.TrimSuffix(base, ".crd"), crd.FileName())
	}
	return crd, kept, nil
}

// keptBytes returns how many bytes of memory the definition of each file keeps.
func (s *Schemas) keptBytes() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := map[string]int{}
	for name, d := range s.files {
		kept[name] = d.kept
	}
	return kept
}
