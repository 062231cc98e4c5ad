//go:build enterprise

package main

import _ "example.com/memory/plugin"
