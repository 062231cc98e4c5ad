package load

import (
	"errors"
	"strings"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/internal/child"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

func residentBytes(statm string) int { return child.Resident(statm) }

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func wantFault(t *testing.T, err error, kind, message string) {
	t.Helper()
	var fault *module.FaultError
	if !errors.As(err, &fault) || fault.Kind != kind || !strings.Contains(fault.Error(), message) {
		t.Errorf("error %v, want a %s fault with %q", err, kind, message)
	}
}
