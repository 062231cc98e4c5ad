package schema

import (
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	long := strings.Repeat("[a-z]", 80)
	runRulings(t, Options{}, []ruling{
		{"minLength", `{type: string, minLength: 2}`, `"a"`, []string{": must have at least 2 characters"}},
		{"minLength 1", `{type: string, minLength: 1}`, `""`, []string{": must have at least 1 character"}},
		{"minLength met", `{type: string, minLength: 2}`, `"ab"`, nil},
		{"minLength, characters", `{type: string, minLength: 3}`, `"éé"`, []string{": must have at least 3 characters"}},
		{"maxLength", `{type: string, maxLength: 2}`, `"abc"`, []string{": must have at most 2 characters"}},
		{"maxLength, characters", `{type: string, maxLength: 2}`, `"日本"`, nil},
		{"maxLength, escapes", `{type: string, maxLength: 2}`, `"\ud83d\ude00\n"`, nil},
		{"pattern", `{type: string, pattern: "^[a-z]+$"}`, `"A"`, []string{`: must match the pattern "^[a-z]+$"`}},
		{"pattern met", `{type: string, pattern: "^[a-z]+$"}`, `"a"`, nil},
		{"pattern is not anchored", `{type: string, pattern: "b"}`, `"abc"`, nil},
		{"pattern, escapes", `{type: string, pattern: "^a\nb$"}`, `"\u0061\nb"`, nil},
		{"pattern, not after a wrong length", `{type: string, maxLength: 1, pattern: "^b$"}`, `"aa"`, []string{": must have at most 1 character"}},
		{"pattern, long", `{type: string, pattern: "^` + long + `$"}`, `""`, []string{`: must match the pattern "^` + long[:255] + `…"`}},
		{"pattern, empty", `{type: string, pattern: ""}`, `"x"`, nil},
		{"format", `{type: string, format: date-time}`, `"today"`, []string{": must have the format date-time"}},
		{"format met", `{type: string, format: date-time}`, `"2026-08-01T00:00:00Z"`, nil},
		{"format nobody knows", `{type: string, format: quantity}`, `"x"`, nil},
		{"format of a number", `{type: string, format: int32}`, `"x"`, nil},
		{"format beside preserve", `{type: object, x-kubernetes-preserve-unknown-fields: true, format: date}`, `{}`, nil},
		{"format without a type, string", `{x-kubernetes-preserve-unknown-fields: true, format: date}`, `"x"`, []string{": must have the format date"}},
		{"format without a type, number", `{x-kubernetes-preserve-unknown-fields: true, format: date}`, `1`, []string{": must be an array or a string, not a number"}},
		{"format of either", `{x-kubernetes-int-or-string: true, format: date}`, `1`, nil},
		{"both", `{type: string, pattern: a, format: date}`, `"x"`, []string{`: must match the pattern "a"`, ": must have the format date"}},
		{"of a number counts for nothing", `{type: integer, minLength: 9, pattern: a}`, `1`, nil},
	})
}

func TestEnum(t *testing.T) {
	var many []string
	for range 40 {
		many = append(many, `"0123456789"`)
	}
	runRulings(t, Options{}, []ruling{
		{"string", `{type: string, enum: [Always, Never]}`, `"always"`, []string{`: must be one of "Always", "Never"`}},
		{"string met", `{type: string, enum: [Always, Never]}`, `"Never"`, nil},
		{"string met, escaped", `{type: string, enum: [Always, Never]}`, `"\u004eever"`, nil},
		{"empty string", `{type: string, enum: ["", a]}`, `""`, nil},
		{"integer", `{type: integer, enum: [1, 2]}`, `3`, []string{`: must be one of 1, 2`}},
		{"integer met", `{type: integer, enum: [1, 2]}`, `2`, nil},
		{"integer met by a float", `{type: integer, enum: [1, 2]}`, `2.0`, nil},
		{"number", `{type: number, enum: [0.5]}`, `5e-1`, nil},
		{"number is no string", `{x-kubernetes-int-or-string: true, enum: ["1"]}`, `1`, []string{`: must be one of "1"`}},
		{"string is no number", `{x-kubernetes-int-or-string: true, enum: [1]}`, `"1"`, []string{`: must be one of 1`}},
		{"a letter's number", `{x-kubernetes-int-or-string: true, enum: [a]}`, `97`, []string{`: must be one of "a"`}},
		{"boolean", `{type: boolean, enum: [true]}`, `false`, []string{`: must be one of true`}},
		{"boolean met", `{type: boolean, enum: [true]}`, `true`, nil},
		{"object", `{type: object, x-kubernetes-preserve-unknown-fields: true, enum: [{a: 1, b: [x]}]}`, `{"b":["x"],"a":1.0}`, nil},
		{"other object", `{type: object, x-kubernetes-preserve-unknown-fields: true, enum: [{a: 1}]}`, `{"a":2}`, []string{`: must be one of {"a":1}`}},
		{"array", `{type: array, items: {type: integer}, enum: [[1, 2]]}`, `[1,2]`, nil},
		{"other array", `{type: array, items: {type: integer}, enum: [[1, 2]]}`, `[12]`, []string{`: must be one of [1,2]`}},
		{"number that no object can have", `{type: integer, enum: [18446744073709551615]}`, `0`, []string{`: must be one of 18446744073709551615`}},
		{"many", `{type: string, enum: [` + strings.Join(many, ",") + `]}`, `"x"`, []string{": must be one of " + strings.Join(many, ", ")[:256] + "…"}},
		{"none", `{type: string, enum: []}`, `"x"`, nil},
	})
}
