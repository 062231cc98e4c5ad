package load

import (
	"log/slog"

	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
	"github.com/crosswalk-gateway/crosswalk/runtime/watch"
)

// candidate is a file on its way to become a module.
type candidate struct {
	name       artifact.Name
	file       watch.File
	beside     *watch.File // its sidecar's file; nil if there is none
	sidecar    *artifact.Sidecar
	contentSum [32]byte
	limits     module.Limits // lowered by the sidecar
	logger     *slog.Logger
	footprint  footprint

	// Of build:
	command  bool
	wasmSize int // of the rewritten module, in bytes
	program  *module.Program
	code     *codeFile // that the program was compiled with; nil if without one
}

// newCandidate reads a file's sidecar, and checks the digest and the limits in it.
func newCandidate(l *Loader, name artifact.Name, file watch.File, beside *watch.File) (*candidate, error) {
	sidecar, err := artifact.ReadSidecar(name, beside)
	if err != nil {
		return nil, err
	}
	if err := sidecar.CheckPin(file); err != nil {
		return nil, err
	}
	limits, err := lowered(l.limits, sidecar)
	if err != nil {
		return nil, err
	}
	return &candidate{
		name: name, file: file, beside: beside, sidecar: sidecar, contentSum: artifact.ContentSum(file, beside),
		limits: limits, logger: l.logger.With("module", name.File), footprint: footprint{of: l.loaded.of(name.Owner)},
	}, nil
}

// close frees a candidate that was compiled and not started.
func (c *candidate) close() {
	c.program.Close()
	c.footprint.Free()
}
