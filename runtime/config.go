package runtime

import (
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/codecache"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
)

// Config configures a Registry. Dir or Owners, Registerer and OnSet are required.
type Config struct {
	// Dir is the directory of modules.
	Dir string
	// Owners have a directory each, instead of Dir. With two or more, each has a name.
	Owners []Owner
	// Limits bound the cost of modules; the zero value means the defaults.
	Limits module.Limits
	// Logger gets one line for each module that is loaded, rejected, replaced or deleted. Nil means
	// no log.
	Logger *slog.Logger
	// Registerer gets the package's metrics.
	Registerer prometheus.Registerer
	// First are conversions whose kinds are loaded before other kinds.
	First []artifact.Edge
	// OnSet is called with each new set, never by two goroutines at once. The replaced set is
	// released only after OnSet has returned, so OnSet never publishes a retired set.
	OnSet func(*Set)
	// OnReady, if not nil, is called once, when Ready becomes true.
	OnReady func()
	// Subscriber reads other files of the directory; nil without such files.
	Subscriber Subscriber
	// StartGrace is the time limit of a file's first try: a file that takes longer is postponed,
	// and nothing waits for it. Default 20 s.
	StartGrace time.Duration
	// Vet loads new modules in a child process first. The main function must call VetMain.
	Vet bool
	// CompileCache keeps compiled modules; nil for no cache. Close it after Run has returned and no
	// set is in use.
	CompileCache *codecache.Cache
	// Served is the file that keeps the names of the modules that serve, so that after a restart
	// they are loaded first and decide about Ready. Only the process's user may write its
	// directory. Empty: nothing is kept.
	Served string
	// Keys are the keys of which one must have signed the directory's SHA256SUMS. Without keys, the
	// list is optional.
	Keys sums.Keys
	// Probation is how long the previous version stays loaded after a swap. It is the fallback for
	// failed batches, each of which restarts the period, and serves again if the new version fails
	// too often. Zero disables probation.
	Probation time.Duration
	// Working, if not nil, is called when loading a file begins; what it returns is called when that
	// ends. Several files are loaded at a time.
	Working func() (done func())
	// Quiet, MaxQuiet and Poll configure the watcher, and Quiet each snapshot; zero means their
	// defaults.
	Quiet, MaxQuiet, Poll time.Duration
}
