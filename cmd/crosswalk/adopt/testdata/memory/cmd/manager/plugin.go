//go:build enterprise

package main

import (
	_ "example.com/extension"
	_ "example.com/memory/before"
	_ "example.com/memory/plugin"
)
