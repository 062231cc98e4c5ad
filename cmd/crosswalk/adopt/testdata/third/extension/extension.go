// Package extension registers itself in the hooks of another module.
package extension

import "example.com/hooks"

func init() { hooks.Register("a", "x") }
