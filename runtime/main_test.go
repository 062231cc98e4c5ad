package runtime

import (
	"os"
	"testing"
)

// TestMain lets the test binary stand in for the gateway's: the vetter starts it again with VetArgument.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == VetArgument {
		os.Exit(VetMain(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}
