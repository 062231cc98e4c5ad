package main

import (
	"fmt"
	"testing"
)

func TestSize(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"0", "0"},
		{"1000", "1000"},
		{"1024", "1Ki"},
		{"1536", "1536"},
		{"64Mi", "64Mi"},
		{"64MiB", "64Mi"},
		{"1024Mi", "1Gi"},
		{"8589934591Gi", "8589934591Gi"},
		{"8589934592Gi", `"8589934592Gi" is not a size: use a number of bytes, or a number with Ki, Mi or Gi such as 64Mi`},
		{"64M", `"64M" is not a size: use a number of bytes, or a number with Ki, Mi or Gi such as 64Mi`},
		{"-1", `"-1" is not a size: use a number of bytes, or a number with Ki, Mi or Gi such as 64Mi`},
		{"1.5Gi", `"1.5Gi" is not a size: use a number of bytes, or a number with Ki, Mi or Gi such as 64Mi`},
		{"Mi", `"Mi" is not a size: use a number of bytes, or a number with Ki, Mi or Gi such as 64Mi`},
		{"", `"" is not a size: use a number of bytes, or a number with Ki, Mi or Gi such as 64Mi`},
	} {
		t.Run(test.in, func(t *testing.T) {
			var s size
			got := ""
			if err := s.Set(test.in); err != nil {
				got = err.Error()
			} else {
				got = fmt.Sprint(&s)
			}
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}
