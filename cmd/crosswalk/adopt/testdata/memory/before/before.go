// Package before is initialised before the packages of versions.
package before

import "example.com/memory/defaults"

func init() { defaults.Prefix = "x" }
