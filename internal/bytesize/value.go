package bytesize

import (
	"fmt"
	"strings"
)

// Value is a number of bytes as the value of a flag.
type Value int64

// Set takes 67108864, 64Mi and 64MiB.
func (v *Value) Set(text string) error {
	plain := text
	if unit, ok := strings.CutSuffix(text, "iB"); ok {
		plain = unit + "i"
	}
	bytes, ok := Parse(plain)
	if !ok {
		return fmt.Errorf("%q is not a size: use a number of bytes, or a number with Ki, Mi or Gi such as 64Mi", text)
	}
	*v = Value(bytes)
	return nil
}

// String writes a size in the largest unit that divides it.
func (v *Value) String() string { return Format(int64(*v)) }

// Type is the name of the value in --help.
func (v *Value) Type() string { return "size" }
