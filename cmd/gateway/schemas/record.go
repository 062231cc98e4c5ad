package schemas

import (
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/crosswalk-gateway/crosswalk/host/schema"
	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// recordRefused records why the content of a file is not used. Schemas.mu is held.
func (t *table) recordRefused(name string, d *definition, sum [32]byte, err error) {
	if d.err == nil || d.err.Error() != err.Error() {
		instead := "objects of its kind are not checked"
		if d.crd != nil {
			instead = "the previous schema is still used"
		}
		t.logger.Error("schema refused", "file", name, "err", err, "instead", instead)
		d.errAt = time.Now()
	}
	d.failed, d.err = sum, err
	t.metrics.reloaded.WithLabelValues(foreign.Label(name)).Set(0)
}

// recordLoaded records a definition that is used from now on. signer is the key that signed the
// list with its file, if any. Schemas.mu is held.
func (t *table) recordLoaded(name string, d *definition, sum [32]byte, crd *schema.CRD, signer string) {
	attrs := []any{"audit", "schema", "file", name, "sha256", hex.EncodeToString(sum[:]), "kind", crd.Kind, "group", crd.Group}
	if d.crd != nil {
		attrs = append(attrs, "before", hex.EncodeToString(d.sum[:]))
	}
	if signer != "" {
		attrs = append(attrs, "signed", signer)
	}
	t.logger.Info("schema loaded", attrs...)
	for _, warning := range slices.Concat(crd.Warnings, crd.Skipped) {
		t.logger.Warn("schema warning", "file", name, "err", warning)
	}
	*d = definition{crd: crd, sum: sum, since: time.Now(), logged: d.logged}
	t.metrics.reloaded.WithLabelValues(foreign.Label(name)).Set(1)
}

// recordDeleted records which definitions have no file any more, and which never had one although
// SHA256SUMS lists it. there are the files that exist, and unread those of them that are to be read.
// Schemas.mu is held.
func (t *table) recordDeleted(there map[string]bool, unread map[string]watch.File, scan runtime.Scan, removed map[string]bool) {
	list := scan.Checksums
	for name := range t.files {
		if there[name] {
			continue
		}
		moved, later := false, false // from .yaml to .json
		for other := range there {
			if definitionBase(other) == definitionBase(name) {
				_, toRead := unread[other]
				later = later || toRead
				moved = moved || !toRead && t.files[other] != nil && t.files[other].err == nil
			}
		}
		if !later {
			t.recordGone(name, moved || removed[definitionBase(name)], scan.UnsettledFor(name), list)
		}
	}
	t.lacks = nil // with owners, a list of one owner does not stop the others: Absent returns nothing
	for _, name := range list.Absent(scan.Snapshot, isDefinition) {
		if t.files[name] == nil && !removed[definitionBase(name)] {
			t.lacks = list.Missing(name)
		}
	}
}

// recordGone decides about a definition without a file. A module whose file is deleted serves until
// the gateway restarts, and so does its schema: otherwise deleting a file would turn the
// enforcement off. Schemas.mu is held.
func (t *table) recordGone(name string, removed, unsettled bool, list *sums.Check) {
	d := t.files[name]
	switch {
	case removed || d.crd == nil:
		attrs := []any{"file", name}
		if d.crd != nil {
			attrs = append([]any{"audit", "schema"}, append(attrs, "before", hex.EncodeToString(d.sum[:]))...)
		}
		t.logger.Info("schema removed: its file was deleted or taken out of service", attrs...)
		t.metrics.reloaded.DeleteLabelValues(foreign.Label(name))
		t.metrics.missing.DeleteLabelValues(foreign.Label(name))
		delete(t.files, name)
	case unsettled: // someone may be replacing the file
	default:
		err := list.Missing(name)
		if err == nil {
			err = fmt.Errorf("the file was deleted; its schema is used until the gateway restarts or %s%s takes it out of service", definitionBase(name), runtime.Tombstone)
		}
		t.recordRefused(name, d, [32]byte{}, err)
	}
}
