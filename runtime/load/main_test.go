package load

import (
	"os"
	"testing"
)

// TestMain lets the test binary act as the gateway's: the vetter starts it again with VetArgument,
// and TestDeadly with what it has a child try.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == VetArgument {
		os.Exit(VetMain(os.Stdin, os.Stdout))
	}
	if len(os.Args) == 2 {
		if code, ok := deadlyChild(os.Args[1]); ok {
			os.Exit(code)
		}
	}
	os.Exit(m.Run())
}
