package extract

import (
	"go/types"

	"golang.org/x/tools/go/packages"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
)

// Extraction is the part of a program that its roots need.
type Extraction struct {
	program *operator.Program
	Units   map[types.Object]*code.Unit // of every declaration
	inits   map[*packages.Package][]*code.Unit
	Reached map[*code.Unit]bool
	effects map[string]bool // packages with initialisers that change variables of others, or by way of functions
	named   []*types.Named  // reached
	Kept    string          // why the copies use encoding/json; "" if they need not
	Swap    bool            // the copies import the SDK's package json for encoding/json
	Hidden  *Opaque
}
