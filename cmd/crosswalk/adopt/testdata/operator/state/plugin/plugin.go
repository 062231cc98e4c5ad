// Package plugin registers itself.
package plugin

import v1 "example.com/operator/state/v1"

func init() { register() }

func register() { v1.Plug("a") }
