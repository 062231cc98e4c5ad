// Command vetsource runs the analyzers of go vet on packages and their tests, and loads all dependencies from source. It compiles
// none of them, as go vet does: for a system that nothing else is built for, that is most of go vet's work.
package main

import (
	"golang.org/x/tools/go/analysis/multichecker"
	"golang.org/x/tools/go/analysis/suite/vet"
)

func main() { multichecker.Main(vet.Suite...) }
