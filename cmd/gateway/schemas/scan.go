package schemas

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/host/schema"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// maxDefinition bounds the file of a CustomResourceDefinition: it is the limit of package schema,
// and more than etcd stores.
const maxDefinition = 4 << 20

// definitionRemoved ends the name of a file that takes a definition out of service, as .removed
// does for modules: <plural>.<group>.crd.removed.
const definitionRemoved = ".crd" + runtime.Tombstone

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

// Scanned hands over a scan of the module directory to Run. It implements runtime.Subscriber.
func (s *Schemas) Scanned(scan runtime.Scan) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scanned = &scan
	select {
	case s.wake <- struct{}{}:
	default: // it is pending already
	}
}

// plan compares a scan with the definitions. It records everything that it can decide without
// reading a file, and returns the files to read.
func (s *Schemas) plan(scan runtime.Scan) (files map[string]watch.File) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := scan.Err; err != nil {
		if s.cause != err.Error() {
			s.logger.Error("cannot read schemas; using the previous ones", "err", err)
		}
		s.read, s.cause = true, err.Error()
		return nil
	}
	s.cause = ""
	snapshot, list := scan.Snapshot, scan.Checksums
	removed := removedDefinitions(snapshot, list)
	files = map[string]watch.File{}
	there := map[string]bool{}
	matters := s.matters(snapshot)
	for _, f := range snapshot.Files {
		if !isDefinition(f.Name) || removed[definitionBase(f.Name)] || !matters(f.Name) {
			continue
		}
		d, denied, waits := s.files[f.Name], list.File(f), list.For(ownerOf(f.Name)).Waits()
		switch {
		case waits && d == nil:
			continue
		case waits, denied == nil && d != nil && d.newest() == f.Sum:
		case denied != nil: // recorded without a digest, so that the same content is read once the list allows it
			s.recordRefused(f.Name, s.file(f.Name), [32]byte{}, denied)
		default:
			files[f.Name] = f
		}
		there[f.Name] = true
	}
	for _, f := range snapshot.Skipped {
		if !isDefinition(f.Name) || removed[definitionBase(f.Name)] || !matters(f.Name) {
			continue // the registry of the modules logs other skipped files
		}
		switch {
		case !scan.UnsettledFor(f.Name):
			s.recordRefused(f.Name, s.file(f.Name), [32]byte{}, errors.New("it "+f.Reason))
			there[f.Name] = true
		case s.files[f.Name] != nil: // someone may be writing it; the next scan decides
			there[f.Name] = true
		}
	}
	before := s.unread
	s.unread = map[string]time.Time{}
	for name := range files {
		if s.unread[name] = before[name]; before[name].IsZero() {
			s.unread[name] = time.Now()
		}
	}
	s.recordDeleted(there, files, scan, removed)
	s.publish()
	return files
}

// file returns the state of a file, a new one if there is none. Schemas.mu is held.
func (t *table) file(name string) *definition {
	if t.files[name] == nil {
		t.files[name] = &definition{}
	}
	return t.files[name]
}

// newest is the digest of the newest content, good or not.
func (d *definition) newest() [32]byte {
	if d.err != nil {
		return d.failed
	}
	return d.sum
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

// parse reads a file. Its name must follow from its content, so that one kind has one file. kept is
// how many bytes of memory the definition keeps; others is how many the other definitions keep.
func (p *parser) parse(ctx context.Context, f watch.File, others int) (crd *schema.CRD, kept int, err error) {
	doc, kept, err := readInChild(ctx, p.program, p.memory, f.Content)
	if err != nil {
		return nil, 0, err
	}
	if kept+others > p.most {
		return nil, 0, fmt.Errorf("it takes %d MiB of memory, and with the other definitions%s more than %d MiB: simplify the schemas, remove definitions, or raise --max-definition-bytes", kept>>20, ofOwner(f.Name), p.most>>20)
	}
	if crd, err = schema.Parse(doc); err != nil {
		return nil, 0, err
	}
	if p.enforce && len(crd.Skipped) > 0 {
		return nil, 0, fmt.Errorf("%s (--schema-check=enforce needs rules that the gateway can check)", crd.Skipped[0])
	}
	base := strings.TrimSuffix(crd.FileName(), ".yaml")
	if _, plain := watch.SplitOwner(f.Name); plain != base+".yaml" && plain != base+".json" {
		return nil, 0, fmt.Errorf("the file has the CustomResourceDefinition %s; rename it to %s", strings.TrimSuffix(base, ".crd"), crd.FileName())
	}
	return crd, kept, nil
}

// keptBeside returns how many bytes of memory all definitions of an owner but one keep.
func (s *Schemas) keptBeside(name string) (sum int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for other, d := range s.files {
		if other != name && ownerOf(other) == ownerOf(name) {
			sum += d.kept
		}
	}
	return sum
}
