package verify

import (
	"time"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/modules"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/output"
)

type testOptions struct {
	crd, vectors    string
	record          string
	replace         []string
	files           *[]string
	update, verbose bool
	during          time.Duration
	format          *output.Format
	live            liveFlags
	how             modules.Limits
}
