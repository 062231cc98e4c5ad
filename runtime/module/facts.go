package module

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// facts are the properties of a module that do not change once it is loaded: its file, its sidecar,
// and its description of itself.
type facts struct {
	name        artifact.Name
	digest      string // hex sha256 of the file
	contentSum  [sha256.Size]byte
	size        int // of the file, in bytes
	sidecar     *artifact.Sidecar
	description Description
	declared    artifact.DeclaredPaths // that the module declares, itself or in its sidecar
	command     bool
	limits      Limits
	took        time.Duration // load time
}

// Name returns the module's file name.
func (f *facts) Name() string { return f.name.File }

// FileName returns the parsed name of the module's file.
func (f *facts) FileName() artifact.Name { return f.name }

// Edges returns the conversions that the module's name claims, in the order of the name.
func (f *facts) Edges() []artifact.Edge { return f.name.Edges() }

// Digest returns the SHA-256 of the module's file in hexadecimal, as sha256sum prints it.
func (f *facts) Digest() string { return f.digest }

// FileSum returns the SHA-256 of the module's file.
func (f *facts) FileSum() (sum [32]byte) {
	_, _ = hex.Decode(sum[:], []byte(f.digest)) // is a digest
	return sum
}

// ContentSum returns the checksum of the module's file together with its sidecar, see
// artifact.ContentSum.
func (f *facts) ContentSum() [32]byte { return f.contentSum }

// Limits returns the limits of the module: the loader's, lowered by its sidecar.
func (f *facts) Limits() Limits { return f.limits }

// Description returns the module's description of itself; the zero value if it has none.
func (f *facts) Description() Description { return f.description }

// IsCommand reports whether the module is a command, which starts anew for every batch.
func (f *facts) IsCommand() bool { return f.command }

// ABI returns the ABI that the module implements: "reactor" or "command".
func (f *facts) ABI() string {
	if f.command {
		return "command"
	}
	return "reactor"
}

// Sidecar returns the module's sidecar; one without a File if it has none. The caller must not
// change it.
func (f *facts) Sidecar() *artifact.Sidecar { return f.sidecar }

// Losses returns the losses that the module's sidecar acknowledges. They are the caller's.
func (f *facts) Losses() []artifact.Loss { return slices.Clone(f.sidecar.Losses) }

// Known returns the checks that the module's author knows to fail.
func (f *facts) Known() []artifact.KnownFailure { return slices.Clone(f.sidecar.Known) }

// Facts are the properties of a module for its status.
type Facts struct {
	Size        int           // of the file, in bytes
	Took        time.Duration // to load it
	Sidecar     string        // file name; "" if there is none
	Cases       int           // golden cases that it passed
	Pinned      bool          // the sidecar gives the digest of the file
	FieldCount  int           // paths of declared fields
	Description Description
}

// Facts returns the properties for a status.
func (f *facts) Facts() Facts {
	return Facts{
		Size: f.size, Took: f.took, Sidecar: f.sidecar.File, Cases: len(f.sidecar.Cases), Pinned: f.sidecar.Pin != "",
		FieldCount: f.declared.Count(), Description: f.description,
	}
}

// Case is a golden case of a module's sidecar (docs/author/sidecar.md).
type Case struct {
	Name     string // as in messages: cases[0] (splits the schedule)
	From, To string // versions, such as v1
	Object   []byte // JSON, with apiVersion and kind
	// Want is the converted object with apiVersion, kind and metadata; nil if the module refuses it
	// with the text WantError.
	Want      []byte
	WantError string
	// Stash and ThereAndBack are as in artifact.GoldenCase.
	Stash        []byte
	ThereAndBack bool
}

// Cases returns the golden cases of the module's sidecar. They are the caller's.
func (f *facts) Cases() []Case {
	cases := make([]Case, len(f.sidecar.Cases))
	for i, c := range f.sidecar.Cases {
		cases[i] = Case{c.Label, c.Edge.From, c.Edge.To, slices.Clone(c.Object), slices.Clone(c.Want), c.WantError, slices.Clone(c.Stash), c.ThereAndBack}
	}
	return cases
}
