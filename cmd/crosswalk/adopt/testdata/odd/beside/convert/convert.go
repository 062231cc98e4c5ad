// Package convert has the conversions of the packages beside it.
package convert

import (
	v1 "example.com/odd/beside/v1"
	v2 "example.com/odd/beside/v2"
)

func Convert_v1_Thing_To_v2_Thing(in *v1.Thing, out *v2.Thing) error { return nil }
func Convert_v2_Thing_To_v1_Thing(in *v2.Thing, out *v1.Thing) error { return nil }
