package main

import "github.com/crosswalk-gateway/crosswalk/internal/bytesize"

// size is a flag's number of bytes.
type size = bytesize.Value
