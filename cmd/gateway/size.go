package main

import (
	"fmt"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/internal/bytesize"
)

// size is a flag's number of bytes.
type size int64

// Set takes 67108864, 64Mi and 64MiB.
func (s *size) Set(text string) error {
	plain := text
	if unit, ok := strings.CutSuffix(text, "iB"); ok {
		plain = unit + "i"
	}
	bytes, ok := bytesize.Parse(plain)
	if !ok {
		return fmt.Errorf("%q is not a size: use a number of bytes, or a number with Ki, Mi or Gi such as 64Mi", text)
	}
	*s = size(bytes)
	return nil
}

// String writes a size in the largest unit that divides it.
func (s *size) String() string { return bytesize.Format(int64(*s)) }

// Type is the name of the value in --help.
func (s *size) Type() string { return "size" }
