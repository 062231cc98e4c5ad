package schema

import "testing"

func TestNumber(t *testing.T) {
	runRulings(t, Options{}, []ruling{
		{"minimum", `{type: integer, minimum: 1}`, `0`, []string{": must be at least 1"}},
		{"minimum met", `{type: integer, minimum: 1}`, `1`, nil},
		{"minimum of a float", `{type: number, minimum: 1}`, `0.99`, []string{": must be at least 1"}},
		{"minimum of a float met", `{type: number, minimum: 1}`, `1.01`, nil},
		{"minimum with a fraction", `{type: number, minimum: 0.5}`, `0`, []string{": must be at least 0.5"}},
		{"minimum with a fraction met", `{type: number, minimum: 0.5}`, `1`, nil},
		{"negative minimum", `{type: integer, minimum: -1.5}`, `-2`, []string{": must be at least -1.5"}},
		{"negative minimum met", `{type: integer, minimum: -1.5}`, `-1`, nil},
		{"minimum beyond int64", `{type: number, minimum: 1e19}`, `9223372036854775807`, []string{": must be at least 10000000000000000000"}},
		{"minimum below int64", `{type: number, minimum: -1e19}`, `-9223372036854775808`, nil},
		{"beyond int64", `{type: number, minimum: 1e20}`, `100000000000000000000`, nil},
		{"beyond int64 and too low", `{type: number, minimum: 1e21}`, `100000000000000000000`, []string{": must be at least 1e+21"}},
		{"beyond int64 and too high", `{type: number, maximum: 0}`, `18446744073709551616`, []string{": must be at most 0"}},
		{"beyond int64 and listed", `{type: number, enum: [1e20]}`, `100000000000000000000`, nil},
		{"exclusive minimum", `{type: integer, minimum: 1, exclusiveMinimum: true}`, `1`, []string{": must be more than 1"}},
		{"exclusive minimum met", `{type: integer, minimum: 1, exclusiveMinimum: true}`, `2`, nil},
		{"maximum", `{type: integer, maximum: 65535}`, `65536`, []string{": must be at most 65535"}},
		{"maximum met", `{type: integer, maximum: 65535}`, `65535`, nil},
		{"maximum of a uint64", `{type: integer, maximum: 18446744073709551615}`, `9223372036854775807`, nil},
		{"large maximum", `{type: integer, maximum: 9007199254740992}`, `9007199254740993`, []string{": must be at most 9007199254740992"}},
		{"exclusive maximum", `{type: number, maximum: 1, exclusiveMaximum: true}`, `1.0`, []string{": must be less than 1"}},
		{"exclusive maximum met", `{type: number, maximum: 1, exclusiveMaximum: true}`, `9.99e-1`, nil},
		{"exclusive alone", `{type: number, exclusiveMaximum: true, exclusiveMinimum: true}`, `1.0`, nil},
		{"multipleOf", `{type: integer, multipleOf: 5}`, `7`, []string{": must be a multiple of 5"}},
		{"multipleOf met", `{type: integer, multipleOf: 5}`, `-15`, nil},
		{"multipleOf zero", `{type: integer, multipleOf: 5}`, `0`, nil},
		{"multipleOf a large one", `{type: integer, multipleOf: 2}`, `9007199254740993`, []string{": must be a multiple of 2"}},
		{"multipleOf a fraction", `{type: number, multipleOf: 0.1}`, `0.35`, []string{": must be a multiple of 0.1"}},
		{"multipleOf a fraction met", `{type: number, multipleOf: 0.1}`, `0.3`, nil},
		{"multipleOf a fraction met by an integer", `{type: number, multipleOf: 0.5}`, `3`, nil},
		{"int32", `{type: integer, format: int32}`, `2147483648`, []string{": must fit 32 bits (format int32)"}},
		{"int32 below", `{type: integer, format: int32}`, `-2147483649`, []string{": must fit 32 bits (format int32)"}},
		{"int32 as a float", `{type: integer, format: int32}`, `1e10`, []string{": must fit 32 bits (format int32)"}},
		{"int32 met", `{type: integer, format: int32}`, `2147483647`, nil},
		{"int32 of a number counts for nothing", `{type: number, format: int32}`, `2147483648`, nil},
		{"int32 of either counts for nothing", `{x-kubernetes-int-or-string: true, format: int32}`, `2147483648`, nil},
		{"int64", `{type: integer, format: int64}`, `9223372036854775807`, nil},
		{"float", `{type: number, format: float}`, `1e39`, []string{": must fit a 32-bit float (format float)"}},
		{"float met", `{type: number, format: float}`, `3.4e38`, nil},
		{"double", `{type: number, format: double}`, `1e300`, nil},
		{"all at once", `{type: number, minimum: 5, maximum: 1, multipleOf: 2}`, `3`,
			[]string{": must be at least 5", ": must be at most 1", ": must be a multiple of 2"}},
		{"either, the number", `{x-kubernetes-int-or-string: true, minimum: 1, maxLength: 0}`, `0`, []string{": must be at least 1"}},
		{"either, the text", `{x-kubernetes-int-or-string: true, minimum: 1, maxLength: 0}`, `"x"`, []string{": must have at most 0 characters"}},
		{"of a string counts for nothing", `{type: string, minimum: 5}`, `"1"`, nil},
	})
}

func TestCompareInt(t *testing.T) {
	for _, c := range []struct {
		n     int64
		bound float64
		want  int
	}{
		{0, 0, 0}, {1, 0, 1}, {-1, 0, -1}, {0, 0.5, -1}, {1, 0.5, 1}, {0, -0.5, 1}, {-1, -0.5, -1},
		{1<<63 - 1, 1 << 63, -1}, {-1 << 63, -1 << 63, 0}, {-1 << 63, -1.1 * (1 << 63), 1}, {1<<53 + 1, 1 << 53, 1}, {1 << 53, 1 << 53, 0},
		{5, 1e300, -1}, {5, -1e300, 1},
	} {
		if got := compareInt(c.n, c.bound); got != c.want {
			t.Errorf("%d against %v: got %d, want %d", c.n, c.bound, got, c.want)
		}
	}
}
