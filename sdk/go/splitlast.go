package crosswalk

// cutter cuts a string at a separator.
type cutter func(s, sep string) (parts []string)

// SplitLast cuts the string at path from at the last separators only, so that the first part may
// contain separators: "registry:5000/shop:1.2" at ":" to "registry:5000/shop" and "1.2". Otherwise
// it is like [Value.Split]. The object is refused if there are fewer parts than paths.
func (v Value) SplitLast(from Path, sep string, to ...Path) bool {
	return v.split(from, sep, to, lastCuts(len(to)))
}

// JoinLast is the inverse of [Value.SplitLast]: it is like [Value.Join], but the first part may
// contain sep.
func (v Value) JoinLast(to Path, sep string, from ...Path) bool {
	return v.join(to, sep, from, from[min(1, len(from)):], lastCuts(len(from)))
}

// lastCuts returns a cutter that makes at most n parts and leaves the first separators alone.
func lastCuts(n int) cutter {
	return func(s, sep string) []string {
		parts := cut(s, sep)
		if more := len(parts) - n; n > 0 && more > 0 {
			parts[more] = join(parts[:more+1], sep)
			return parts[more:]
		}
		return parts
	}
}

// IntFromString replaces the string at path by the integer that it has in decimal digits, such as
// "80" by 80. It reports whether the string was present. The object is refused if the string is not
// an integer as JSON has it ("080", "+1" and "-0" are not, because [Value.StringFromInt] would not
// restore them). Integers of any size keep their digits.
func (v Value) IntFromString(path Path) bool {
	s, ok := v.text(path)
	if !ok {
		return false
	}
	if !integer(s) {
		v.d.fail(Errorf("%s must be an integer, but is %q", v.Location(path...), s))
		return false
	}
	v.replace(path, []byte(s))
	return true
}

// StringFromInt is the inverse of [Value.IntFromString]: it replaces the integer at path by a
// string. The object is refused if the value is not a number, or has a fraction or an exponent.
func (v Value) StringFromInt(path Path) bool {
	raw, _ := v.Raw(path...)
	text := string(raw)
	switch {
	case integer(text):
		v.SetString(path, text)
		return true
	case text != "" && (text[0] == '-' || text[0] >= '0' && text[0] <= '9'):
		v.d.fail(Errorf("%s must be an integer, but is %s", v.Location(path...), text))
	default: // absent, null, or of another type
		if _, _, err := v.Int(path...); err != nil {
			v.d.fail(err)
		}
	}
	return false
}

// integer reports whether s is an integer in its only spelling.
func integer(s string) bool {
	digits := s
	if len(s) > 1 && s[0] == '-' && s[1] != '0' {
		digits = s[1:]
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' || digits[0] == '0' && len(digits) > 1 {
			return false
		}
	}
	return digits != ""
}
