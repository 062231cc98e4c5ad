// Package plugin hooks itself into the conversions.
package plugin

import (
	"strings"

	v1 "example.com/memory/v1"
)

type upper struct{}

func (upper) convert(a string) string { return strings.ToUpper(a) }

func init() { v1.OnConvert(upper{}.convert) }
