// Package parts has a webhook of its own, which does more than conversion-gen's functions.
package parts

import (
	v1 "example.com/converters/api/v1"
	v2 "example.com/converters/api/v2"
)

func convert(in *v1.Part, out *v2.Part) error {
	out.New = "more"
	return v1.Convert_v1_Part_To_v2_Part(in, out, nil)
}
