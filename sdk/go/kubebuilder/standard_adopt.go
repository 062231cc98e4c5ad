//go:build crosswalk_adopt

package kubebuilder

import (
	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
	"github.com/crosswalk-gateway/crosswalk/sdk/go/kubebuilder/internal/codec"
)

// The tag crosswalk_adopt is set by crosswalk adopt for types that the codec can do wholly: the
// module then has no encoding/json, which is a tenth of it, and no stash, which Kind.Lossless alone
// uses.

// newSet returns the set of codecs without a fallback. A type that needs one does not come as far
// as a conversion.
func newSet() *codec.Set { return codec.Adopted() }

func typeError(error) error { return nil }

func lossless(_, _ crosswalk.Converter) crosswalk.Converter { panic(noStash) }

func restoring(crosswalk.Converter) crosswalk.Converter { panic(noStash) }

const noStash = "kubebuilder: Kind.Lossless is not for modules built with the tag crosswalk_adopt"
