package module

import (
	"fmt"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

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
