package rawjson_test

import "strings"

func structureCases() []conformance {
	return []conformance{
		{"y_object_empty", `{}`, ""},
		{"y_array_empty", `[]`, ""},
		{"y_string_empty", `""`, ""},
		{"y_true", `true`, ""},
		{"y_false", `false`, ""},
		{"y_null", `null`, ""},
		{"y_object", `{"apiVersion":"v1","kind":"List","items":[]}`, ""},
		{"y_array_of_all_kinds", `[{},[],"",0,true,false,null]`, ""},
		{"y_nested", `{"a":{"b":[{"c":[[{}]]}]}}`, ""},
		{"y_space_everywhere", " \t\r\n{ \t\r\n\"a\" \t\r\n: \t\r\n[ \t\r\n1 \t\r\n, \t\r\n2 \t\r\n] \t\r\n} \t\r\n", ""},
		{"y_space_in_empty_containers", "[{ },[ ],{\n},[\t]]", ""},
		{"y_space_long", strings.Repeat(" ", 100) + "[" + strings.Repeat("\n", 100) + "]", ""},

		{"n_empty", "", "unexpected end of JSON at byte 0"},
		{"n_only_space", " \n\t ", "unexpected end of JSON at byte 4"},
		{"n_byte_order_mark", "\uFEFF{}", "byte order mark (JSON has none) at byte 0"},
		{"n_byte_order_mark_alone", "\uFEFF", "byte order mark (JSON has none) at byte 0"},
		{"n_byte_order_mark_utf16", "\xFE\xFF\x00{\x00}", "expected a value, found 0xfe at byte 0"},
		{"n_byte_order_mark_within", "[\uFEFF]", "expected a value, found 0xef at byte 1"},
		{"n_space_no_break", "[\u00A01]", "expected a value, found 0xc2 at byte 1"},
		{"n_space_form_feed", "[\f1]", "expected a value, found 0x0c at byte 1"},
		{"n_space_vertical_tab", "[\v1]", "expected a value, found 0x0b at byte 1"},
		{"n_space_nul", "[\x001]", "expected a value, found 0x00 at byte 1"},
		{"n_space_nul_before_member", "{\x00\"a\":1}", "expected a key in quotes or '}' at byte 1"},
		{"n_comment", `[/* none */1]`, "expected a value, found '/' at byte 1"},
		{"n_comment_after", `{} // end`, "data after the end of the document at byte 3"},
		{"n_yaml", "kind: CronTab\n", "expected a value, found 'k' at byte 0"},
		{"n_unquoted_string", `[abc]`, "expected a value, found 'a' at byte 1"},
		{"n_single_quotes", `['a']`, "expected a value, found ''' at byte 1"},
		{"n_beyond_ascii", `[é]`, "expected a value, found 0xc3 at byte 1"},
		{"n_delete_character", "[\x7f]", "expected a value, found 0x7f at byte 1"},

		{"n_true_short", `tru`, "unexpected end of JSON at byte 3"},
		{"n_true_misspelt", `[trux]`, "expected true at byte 1"},
		{"n_true_capital", `[True]`, "expected a value, found 'T' at byte 1"},
		{"n_true_upper", `[TRUE]`, "expected a value, found 'T' at byte 1"},
		{"n_true_then_more", `[truer]`, "expected ',' or ']' after an element at byte 5"},
		{"n_false_short", `[fals]`, "expected false at byte 1"},
		{"n_false_mixed", `[falsE]`, "expected false at byte 1"},
		{"n_null_short", `{"a":nul}`, "expected null at byte 5"},
		{"n_null_cut", `{"a":n`, "unexpected end of JSON at byte 6"},
		{"n_nil", `[nil]`, "expected null at byte 1"},
		{"n_undefined", `[undefined]`, "expected a value, found 'u' at byte 1"},

		{"n_trailing_object", `{}{}`, "data after the end of the document at byte 2"},
		{"n_trailing_bracket", `[]]`, "data after the end of the document at byte 2"},
		{"n_trailing_brace", `{"a":1}}`, "data after the end of the document at byte 7"},
		{"n_trailing_comma", `{},`, "data after the end of the document at byte 2"},
		{"n_trailing_number", `1 2`, "data after the end of the document at byte 2"},
		{"n_trailing_nul", "{}\x00", "data after the end of the document at byte 2"},
		{"n_trailing_hash", `{}#`, "data after the end of the document at byte 2"},
		{"n_trailing_byte_order_mark", "{}\uFEFF", "data after the end of the document at byte 2"},
		{"n_two_lines", "{\"a\":1}\n{\"a\":2}\n", "data after the end of the document at byte 8"},
	}
}

func separatorCases() []conformance {
	return []conformance{
		{"n_array_open", `[`, "unexpected end of JSON at byte 1"},
		{"n_array_open_after_element", `[1`, "unexpected end of JSON at byte 2"},
		{"n_array_open_after_comma", `[1,`, "unexpected end of JSON at byte 3"},
		{"n_array_open_after_space", "[1, \n", "unexpected end of JSON at byte 5"},
		{"n_array_comma_first", `[,1]`, "expected a value, found ',' at byte 1"},
		{"n_array_comma_only", `[,]`, "expected a value, found ',' at byte 1"},
		{"n_array_comma_last", `[1,]`, "expected a value, found ']' at byte 3"},
		{"n_array_comma_twice", `[1,,2]`, "expected a value, found ',' at byte 3"},
		{"n_array_no_comma", `[1 2]`, "expected ',' or ']' after an element at byte 3"},
		{"n_array_no_comma_strings", `["a""b"]`, "expected ',' or ']' after an element at byte 4"},
		{"n_array_colon", `["a":1]`, "expected ',' or ']' after an element at byte 4"},
		{"n_array_semicolon", `[1;2]`, "expected ',' or ']' after an element at byte 2"},
		{"n_array_closed_by_brace", `[1}`, "expected ',' or ']' after an element at byte 2"},
		{"n_array_empty_closed_by_brace", `[}`, "expected a value, found '}' at byte 1"},
		{"n_array_only_closed", `]`, "expected a value, found ']' at byte 0"},
		{"n_array_inner_open", `[[1]`, "unexpected end of JSON at byte 4"},
		{"n_object_open", `{`, "unexpected end of JSON at byte 1"},
		{"n_object_open_after_key", `{"a"`, "unexpected end of JSON at byte 4"},
		{"n_object_open_after_colon", `{"a":`, "unexpected end of JSON at byte 5"},
		{"n_object_open_after_member", `{"a":1`, "unexpected end of JSON at byte 6"},
		{"n_object_open_after_comma", `{"a":1,`, "unexpected end of JSON at byte 7"},
		{"n_object_open_in_key", `{"a`, "unexpected end of JSON at byte 3"},
		{"n_object_comma_first", `{,"a":1}`, "expected a key in quotes or '}' at byte 1"},
		{"n_object_comma_last", `{"a":1,}`, "expected a key in quotes after ',' at byte 7"},
		{"n_object_comma_twice", `{"a":1,,"b":2}`, "expected a key in quotes after ',' at byte 7"},
		{"n_object_no_comma", `{"a":1 "b":2}`, "expected ',' or '}' after a member at byte 7"},
		{"n_object_no_colon", `{"a" 1}`, "expected ':' after a key at byte 5"},
		{"n_object_no_value", `{"a":}`, "expected a value, found '}' at byte 5"},
		{"n_object_no_value_comma", `{"a":,"b":1}`, "expected a value, found ',' at byte 5"},
		{"n_object_only_key", `{"a"}`, "expected ':' after a key at byte 4"},
		{"n_object_comma_for_colon", `{"a","b"}`, "expected ':' after a key at byte 4"},
		{"n_object_equals_for_colon", `{"a"=1}`, "expected ':' after a key at byte 4"},
		{"n_object_colon_twice", `{"a"::1}`, "expected a value, found ':' at byte 5"},
		{"n_object_key_number", `{1:1}`, "expected a key in quotes or '}' at byte 1"},
		{"n_object_key_null", `{null:1}`, "expected a key in quotes or '}' at byte 1"},
		{"n_object_key_bare", `{"a":1,b:2}`, "expected a key in quotes after ',' at byte 7"},
		{"n_object_key_single_quotes", `{'a':1}`, "expected a key in quotes or '}' at byte 1"},
		{"n_object_key_object", `{{}:1}`, "expected a key in quotes or '}' at byte 1"},
		{"n_object_closed_by_bracket", `{"a":1]`, "expected ',' or '}' after a member at byte 6"},
		{"n_object_empty_closed_by_bracket", `{]`, "expected a key in quotes or '}' at byte 1"},
		{"n_object_only_closed", `}`, "expected a value, found '}' at byte 0"},
		{"n_object_in_array_open", `[{"a":1]`, "expected ',' or '}' after a member at byte 7"},
		{"n_only_comma", `,`, "expected a value, found ',' at byte 0"},
		{"n_only_colon", `:`, "expected a value, found ':' at byte 0"},
	}
}

func keyCases() []conformance {
	many := func(last string) string {
		var doc strings.Builder
		for i := range 26 * 26 {
			doc.WriteString(`"` + string(rune('a'+i/26)) + string(rune('a'+i%26)) + `":0,`)
		}
		return "{" + doc.String() + last + "}"
	}
	long := strings.Repeat("k", 70)
	return []conformance{
		{"y_key_empty", `{"":1}`, ""},
		{"y_key_escaped", `{"\u006detadata":1,"\"":2,"\\":3}`, ""},
		{"y_key_case", `{"metadata":1,"Metadata":2,"METADATA":3}`, ""},
		{"y_key_same_in_other_object", `{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}`, ""},
		{"y_key_same_after_inner_object", `{"a":{"b":1,"c":2},"b":{"a":1},"c":1}`, ""},
		{"y_key_composed_and_decomposed", "{\"\u00e9\":1,\"e\u0301\":2}", ""},
		{"y_key_prefixes", `{"aaaaaaaa":1,"aaaaaaa":2,"aaaaaaaaa":3,"a":4,"":5,"\u0000":6,"\u0000\u0000":7}`, ""},
		{"y_key_676", many(`"aaa":0`), ""},
		{"y_key_like_string_value", `{"a":"b","b":"a"}`, ""},

		{"i_key_twice", `{"a":1,"a":2}`, `duplicate key "a" at byte 7`},
		{"i_key_twice_same_value", `{"a":1,"a":1}`, `duplicate key "a" at byte 7`},
		{"i_key_twice_apart", `{"metadata":{},"spec":{"a":1},"metadata":{}}`, `duplicate key "metadata" at byte 30`},
		{"i_key_twice_escaped", `{"metadata":1,"m\u0065tadata":2}`, `duplicate key "metadata" at byte 14`},
		{"i_key_twice_escaped_first", `{"m\u0065tadata":1,"metadata":2}`, `duplicate key "metadata" at byte 19`},
		{"i_key_twice_both_escaped", `{"\u006detadata":1,"m\u0065tadata":2}`, `duplicate key "metadata" at byte 19`},
		{"i_key_twice_escaped_solidus", `{"a/b":1,"a\/b":2}`, `duplicate key "a/b" at byte 9`},
		{"i_key_twice_surrogates", `{"😀":1,"\ud83d\ude00":2}`, `duplicate key "😀" at byte 10`},
		{"i_key_twice_case_of_hex", `{"\u00E9":1,"\u00e9":2}`, `duplicate key "é" at byte 12`},
		{"i_key_twice_empty", `{"":1,"":2}`, `duplicate key "" at byte 6`},
		{"i_key_twice_inner", `[{"x":[{"a":1,"b":2,"a":3}]}]`, `duplicate key "a" at byte 20`},
		{"i_key_twice_after_inner_object", `{"a":{"b":{"a":1}},"a":2}`, `duplicate key "a" at byte 19`},
		{"i_key_twice_of_677", many(`"aa":0`), `duplicate key "aa" at byte 4733`},
		{"i_key_twice_of_677_escaped", many(`"\u007a\u007a":0`), `duplicate key "zz" at byte 4733`},
		{"i_key_twice_control", `{"a\n":1,"a\u000a":2}`, `duplicate key "a\n" at byte 9`},
		{"i_key_twice_long", `{"` + long + `":1,"` + long + `":2}`, `duplicate key "` + long[:64] + `…" at byte 76`},
		{"i_key_twice_long_character", `{"` + long[:63] + `é":1,"` + long[:63] + `é":2}`, `duplicate key "` + long[:63] + `…" at byte 71`},
	}
}

func depthCases() []conformance {
	nested := func(open, middle, end string, n int) string {
		return strings.Repeat(open, n) + middle + strings.Repeat(end, n)
	}
	return []conformance{
		{"y_depth_arrays_1000", nested("[", "", "]", 1000), ""},
		{"y_depth_objects_1000", nested(`{"a":`, "1", "}", 999) + " ", ""},
		{"y_depth_returns", "[" + strings.Repeat("[[]],", 5000) + "[]]", ""},
		{"i_depth_arrays_1001", nested("[", "", "]", 1001), "nested deeper than 1000 levels at byte 1000"},
		{"i_depth_objects_1001", nested(`{"a":`, "1", "}", 1001), "nested deeper than 1000 levels at byte 5000"},
		{"i_depth_mixed_1002", nested(`{"a":[`, "", "]}", 501), "nested deeper than 1000 levels at byte 3000"},
		{"n_depth_open_arrays", strings.Repeat("[", 10_000_000), "nested deeper than 1000 levels at byte 1000"},
		{"n_depth_open_objects", strings.Repeat(`{"":`, 1_000_000), "nested deeper than 1000 levels at byte 4000"},
		{"n_depth_open_100", strings.Repeat("[", 100), "unexpected end of JSON at byte 100"},
		{"n_depth_crossed", strings.Repeat("[{\"a\":", 100) + strings.Repeat("]}", 100), "expected a value, found ']' at byte 600"},
	}
}
