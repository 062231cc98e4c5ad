package rawjson_test

import (
	"math"
	"strconv"
	"strings"
)

func numberCases() []conformance {
	return []conformance{
		{"y_number_zero", `0`, ""},
		{"y_number_minus_zero", `-0`, ""},
		{"y_number_minus_zero_float", `-0.0e-0`, ""},
		{"y_number_digits", `1234567890`, ""},
		{"y_number_negative", `[-1]`, ""},
		{"y_number_fraction", `1.5`, ""},
		{"y_number_fraction_zeros", `1.000`, ""},
		{"y_number_exponent", `1e5`, ""},
		{"y_number_exponent_capital", `1E5`, ""},
		{"y_number_exponent_plus", `1e+5`, ""},
		{"y_number_exponent_minus", `1.25E-5`, ""},
		{"y_number_exponent_leading_zeros", `1e0005`, ""},
		{"y_number_zero_exponent", `0e5`, ""},
		{"y_number_then_space", "[1 ,2\n,3.0\t]", ""},

		{"n_number_plus", `+1`, "expected a value, found '+' at byte 0"},
		{"n_number_minus_alone", `-`, "unexpected end of JSON at byte 1"},
		{"n_number_minus_in_array", `[-]`, "expected a digit after '-' at byte 2"},
		{"n_number_minus_twice", `[--1]`, "expected a digit after '-' at byte 2"},
		{"n_number_minus_letter", `[-x]`, "expected a digit after '-' at byte 2"},
		{"n_number_minus_space", `[- 1]`, "expected a digit after '-' at byte 2"},
		{"n_number_leading_zero", `01`, "number with a leading zero at byte 0"},
		{"n_number_leading_zeros", `[00]`, "number with a leading zero at byte 1"},
		{"n_number_minus_leading_zero", `[-012]`, "number with a leading zero at byte 1"},
		{"n_number_leading_zero_fraction", `[00.5]`, "number with a leading zero at byte 1"},
		{"n_number_point_first", `.5`, "expected a value, found '.' at byte 0"},
		{"n_number_minus_point", `[-.5]`, "expected a digit after '-' at byte 2"},
		{"n_number_point_last", `[1.]`, "expected a digit after '.' at byte 3"},
		{"n_number_point_cut", `1.`, "unexpected end of JSON at byte 2"},
		{"n_number_point_exponent", `[1.e5]`, "expected a digit after '.' at byte 3"},
		{"n_number_two_points", `[1.2.3]`, "expected ',' or ']' after an element at byte 4"},
		{"n_number_exponent_none", `[1e]`, "expected a digit in the exponent at byte 3"},
		{"n_number_exponent_cut", `1e`, "unexpected end of JSON at byte 2"},
		{"n_number_exponent_sign", `[1e+]`, "expected a digit in the exponent at byte 4"},
		{"n_number_exponent_sign_cut", `1e-`, "unexpected end of JSON at byte 3"},
		{"n_number_exponent_signs", `[1e+-5]`, "expected a digit in the exponent at byte 4"},
		{"n_number_exponent_twice", `[1e5e5]`, "expected ',' or ']' after an element at byte 4"},
		{"n_number_exponent_fraction", `[1e5.5]`, "expected ',' or ']' after an element at byte 4"},
		{"n_number_hexadecimal", `[0x1F]`, "expected ',' or ']' after an element at byte 2"},
		{"n_number_underscore", `[1_000]`, "expected ',' or ']' after an element at byte 2"},
		{"n_number_comma", `{"a":1,5}`, "expected a key in quotes after ',' at byte 7"},
		{"n_number_suffix", `[1f]`, "expected ',' or ']' after an element at byte 2"},
		{"n_number_nan", `[NaN]`, "expected a value, found 'N' at byte 1"},
		{"n_number_infinity", `[Infinity]`, "expected a value, found 'I' at byte 1"},
		{"n_number_minus_infinity", `[-Infinity]`, "expected a digit after '-' at byte 2"},
		{"n_number_fullwidth_digit", `[１]`, "expected a value, found 0xef at byte 1"},
		{"n_number_then_string", `{"a":1"b":2}`, "expected ',' or '}' after a member at byte 6"},
	}
}

func rangeCases() []conformance {
	number := func(token string) string {
		return "number " + token + " is neither an int64 nor a finite float64 at byte "
	}
	digits := func(token string) string {
		return "number " + token + " has more digits than an int64 or a float64 keeps at byte "
	}
	// The largest float64 is 2^1024 - 2^971. Numbers nearer to it than to 2^1024 round to it;
	// halfway, 2^1024 - 2^970, does not.
	const (
		halfway = "1797693134862315807937289714053034150799341327100378269361737789804449682927647509466490179775872070963302864166928879" +
			"1094655554785194040263065748867150582068190890200070838367627385484581771153176447573027006985557136695962284291481986083" +
			"4936475292719074168444365510704342711559699508093042880177904174497792"
		below = "1797693134862315807937289714053034150799341327100378269361737789804449682927647509466490179775872070963302864166928879" +
			"1094655554785194040263065748867150582068190890200070838367627385484581771153176447573027006985557136695962284291481986083" +
			"4936475292719074168444365510704342711559699508093042880177904174497791"
	)
	return []conformance{
		{"y_number_int64_max", `9223372036854775807`, ""},
		{"y_number_int64_min", `-9223372036854775808`, ""},
		{"y_number_beyond_float_precision", `9007199254740993`, ""},
		{"y_number_19_digits", `1000000000000000000`, ""},
		{"y_number_2_64_as_float", `18446744073709551616.0`, ""},
		{"y_number_2_64_with_exponent", `18446744073709551616e0`, ""},
		{"y_number_long_fraction", `0.` + strings.Repeat("123456789", 30), ""},
		{"y_number_million_digits_fraction", `3.` + strings.Repeat("1", 1_000_000), ""},
		{"y_number_float64_max", `1.7976931348623157e308`, ""},
		{"y_number_float64_max_negative", `-1.7976931348623157E+308`, ""},
		{"y_number_float64_max_other_spelling", `179769313486231570000000000e282`, ""},
		{"y_number_float64_smallest", `5e-324`, ""},
		{"i_number_underflow", `1e-400`, ""},
		{"i_number_underflow_far", `1e-99999999999999999999999`, ""},
		{"i_number_zero_times_huge", `0e99999999999999999999999`, ""},
		{"i_number_zeros_times_huge", `-0.000e400`, ""},
		{"i_number_small_digits_huge_exponent", `0.` + strings.Repeat("0", 400) + `1e400`, ""},
		{"i_number_many_digits_small_exponent", `1` + strings.Repeat("0", 400) + `e-100`, ""},
		{"i_number_below_halfway", below + `.0`, ""},
		{"i_number_below_halfway_by_a_hair", below + `.` + strings.Repeat("9", 5000), ""},

		// API servers keep an integer beyond int64 as a float64, and send it as that prints.
		{"y_number_1e20_by_go", `[100000000000000000000,-100000000000000000000]`, ""},
		{"y_number_2_63", `9223372036854775808`, ""},
		{"y_number_2_63_by_go", `9223372036854776000`, ""},
		{"y_number_2_64", `{"a":18446744073709551616}`, ""},
		{"y_number_2_64_by_go", `-18446744073709552000`, ""},
		{"y_number_20_digits", `10000000000000000000`, ""},
		{"y_number_float64_max_digits", strconv.FormatFloat(math.MaxFloat64, 'f', -1, 64), ""},
		{"y_number_float64_max_all_digits", "-" + strconv.FormatFloat(math.MaxFloat64, 'f', 0, 64), ""},
		{"i_number_int64_max_plus_two", `9223372036854775809`, digits("9223372036854775809") + "0"},
		{"i_number_int64_min_minus_one", `[-9223372036854775809]`, digits("-9223372036854775809") + "1"},
		{"i_number_uint64_max", `{"a":18446744073709551615}`, digits("18446744073709551615") + "5"},
		{"i_number_30_digits", `123456789012345678901234567890`, digits("123456789012345678901234567890") + "0"},
		{"i_number_below_halfway_digits", below, digits(below[:40]+"…") + "0"},
		{"i_number_halfway_digits", halfway, number(halfway[:40]+"…") + "0"},
		{"i_number_million_digits", `[` + strings.Repeat("9", 1_000_000) + `]`, number(strings.Repeat("9", 40)+"…") + "1"},
		{"i_number_1e400", `[0,1e400]`, number("1e400") + "3"},
		{"i_number_minus_1e400", `-1e400`, number("-1e400") + "0"},
		{"i_number_1e309", `1e309`, number("1e309") + "0"},
		{"i_number_above_float64_max", `1.7976931348623159e308`, number("1.7976931348623159e308") + "0"},
		{"i_number_exponent_beyond_counting", `1e99999999999999999999999`, number("1e99999999999999999999999") + "0"},
		{"i_number_small_digits_larger_exponent", `0.0001e313`, number("0.0001e313") + "0"},
		{"i_number_halfway", halfway + `.0`, number(halfway[:40]+"…") + "0"},
		{"i_number_above_halfway", halfway + `.` + strings.Repeat("0", 5000) + `1`, number(halfway[:40]+"…") + "0"},
		{"i_number_many_digits_float", `1` + strings.Repeat("0", 400) + `.5`, number("1"+strings.Repeat("0", 39)+"…") + "0"},
	}
}
