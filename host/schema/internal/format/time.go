package format

import (
	"bytes"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// isDate wants a day of the calendar: 2006-01-02.
func isDate(text []byte) bool {
	if len(text) != len("2006-01-02") || text[4] != '-' || text[7] != '-' {
		return false
	}
	year, month, day := digits(text[:4]), digits(text[5:7]), digits(text[8:])
	if year < 0 || month < 1 || month > 12 || day < 1 {
		return false
	}
	return day <= time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// isDateTime requires a date-time of RFC 3339: 2006-01-02T15:04:05.999Z, or with an offset for the
// Z. Like the API server, it accepts any character for the point and any offset of four digits,
// rejects leap seconds, and ignores the text after another T.
func isDateTime(text []byte) bool {
	const date, clock = len("2006-01-02"), len("15:04:05")
	if len(text) < date+1+clock || text[date]|0x20 != 't' || !isDate(text[:date]) {
		return false
	}
	text = text[date+1:]
	if i := bytes.IndexAny(text, "tT"); i >= 0 {
		text = text[:i]
	}
	if len(text) < clock || text[2] != ':' || text[5] != ':' {
		return false
	}
	hour, minute, second := digits(text[:2]), digits(text[3:5]), digits(text[6:8])
	if hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 {
		return false
	}
	return isZone(text[clock:]) || isZone(afterFraction(text[clock:]))
}

// afterFraction returns the text after the fraction of a second, or nothing if there is no
// fraction.
func afterFraction(text []byte) []byte {
	r, n := utf8.DecodeRune(text)
	if n == 0 || r == '\n' {
		return nil
	}
	i := n
	for i < len(text) && isDigit(text[i]) {
		i++
	}
	if i == n {
		return nil
	}
	return text[i:]
}

// isZone wants Z, or an offset from it: +01:00.
func isZone(text []byte) bool {
	if len(text) == 1 {
		return text[0]|0x20 == 'z'
	}
	return len(text) == len("+01:00") && (text[0] == '+' || text[0] == '-') && text[3] == ':' && digits(text[1:3]) >= 0 && digits(text[4:]) >= 0
}

// digits returns the number that the digits stand for, a few of them, or -1 if they are not all
// digits.
func digits(text []byte) int {
	n := 0
	for _, c := range text {
		if !isDigit(c) {
			return -1
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// isDuration wants a duration as Go writes it, 1h30m, or any text that has a number with a unit in
// it: 2 days.
func isDuration(text []byte) bool {
	s := string(text)
	if _, err := time.ParseDuration(s); err == nil {
		return true
	}
	found := false
	for s != "" {
		start := strings.IndexFunc(s, func(r rune) bool { return r >= '0' && r <= '9' })
		if start < 0 {
			break
		}
		s = s[start:]
		rest := strings.TrimLeft(s, "0123456789")
		number := s[:len(s)-len(rest)]
		rest = strings.TrimLeft(rest, "\t\n\f\r ")
		unit := rest[:len(rest)-len(strings.TrimLeftFunc(rest, func(r rune) bool { return r == 'µ' || r < utf8.RuneSelf && isLetter(byte(r)) }))]
		s = rest[len(unit):]
		if unit == "" {
			continue
		}
		if _, err := strconv.Atoi(number); err != nil {
			return false
		}
		found = found || isUnit(strings.ToLower(unit))
	}
	return found
}

// isUnit says whether the word, in lower case, is a unit of time: an abbreviation, or begins with a
// whole name.
func isUnit(word string) bool {
	switch word {
	case "ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk":
		return true
	}
	for _, name := range [...]string{"nano", "micro", "milli", "sec", "min", "hour", "day", "week"} {
		if strings.HasPrefix(word, name) {
			return true
		}
	}
	return false
}
