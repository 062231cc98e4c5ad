package module

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
	"github.com/crosswalk-gateway/crosswalk/internal/projection"
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

// declare stores the fields in the module's own description. Its sidecar may then not have fields.
func (f *facts) declare(description []byte) error {
	own, err := artifact.DescribedFields(f.name, description)
	switch {
	case err != nil:
		return err
	case own != nil && f.sidecar.Fields != nil:
		return fmt.Errorf("the module declares its fields itself: leave fields out of %s", f.sidecar.File)
	case own != nil:
		f.declared = own
	}
	return nil
}

// Fields returns the paths of the fields that the module declares for a conversion between two
// versions, those of both. It returns nil for a module that sees whole objects.
func (f *facts) Fields(from, to string) []string {
	if f.declared == nil {
		return nil
	}
	return append(append(make([]string, 0, len(f.declared[from])+len(f.declared[to])), f.declared[from]...), f.declared[to]...)
}

// Declared returns the paths of the fields that the module declares, by version; nil for a module
// that sees whole objects. The caller must not change them.
func (f *facts) Declared() map[string][]string { return f.declared }

// View returns the part of an object that the module sees.
func (f *facts) View(e artifact.Edge, object []byte) []byte {
	if f.declared == nil {
		return object
	}
	fields, err := projection.Parse(f.Fields(e.From, e.To))
	if err != nil {
		panic("fields that were checked: " + err.Error())
	}
	view, _ := projection.View(nil, object, fields.Read(nil, object))
	return view
}

// Description is a module's description of itself (crosswalk_describe). The gateway does not verify
// it.
type Description struct {
	Name     string `json:"name,omitempty"`
	Version  string `json:"version,omitempty"`
	Language string `json:"language,omitempty"`
	SDK      string `json:"sdk,omitempty"`
	Source   string `json:"source,omitempty"`
	Licence  string `json:"licence,omitempty"`
	Proof    Proof  `json:"proof,omitzero"`
}

// Proof is a module's statement that crosswalk proved its rules, and of the digests of the rules and
// of the schemas for which it did. Limits is how many limits the proof has, such as objects that are
// refused.
type Proof struct {
	Rules   string `json:"rules"`
	Schemas string `json:"schemas"`
	Limits  int    `json:"limits,omitempty"`
	Carries string `json:"carries,omitempty"` // of the fields that differ, those that clients of the other version see: "5 of 10"
}

// String returns the statement in one line; "" if there is none.
func (p Proof) String() string {
	if p == (Proof{}) {
		return ""
	}
	short := func(digest string) string { return foreign.Digest(strings.TrimPrefix(digest, "sha256:")) }
	text := "of the rules " + short(p.Rules) + " for the schemas " + short(p.Schemas)
	if p.Limits != 0 {
		text += fmt.Sprintf(", with limits (%d)", p.Limits)
	}
	if p.Carries != "" {
		text += ", carries " + p.Carries + " fields that differ"
	}
	return text
}

// tidy cleans and bounds a module's description of itself.
func (d *Description) tidy() {
	for _, s := range []*string{&d.Name, &d.Version, &d.Language, &d.SDK, &d.Source, &d.Licence, &d.Proof.Rules, &d.Proof.Schemas, &d.Proof.Carries} {
		if *s != "" {
			*s = foreign.Clean(*s, 200)
		}
	}
}
