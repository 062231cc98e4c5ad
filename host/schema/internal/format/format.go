// Package format has the formats of strings that an API server checks. It reads hostile texts, in time
// proportional to their length.
package format

import (
	"net"
	"net/mail"
	"net/url"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Format is a format of strings, with its check.
type Format struct {
	Name    string // as a schema has it
	Matches func(text []byte) bool
}

// Named returns a format; nil if there is none of this name. To the API server, too, date-time and
// datetime are one.
func Named(name string) *Format {
	matches := named(strings.ReplaceAll(name, "-", ""))
	if matches == nil {
		return nil
	}
	return &Format{name, matches}
}

// named returns the check of each format that the API server knows, except isbn, isbn10,
// isbn13 and creditcard. The checks accept the same strings as the API server's checks, which is
// sometimes more than the definition of the format.
func named(name string) func(text []byte) bool {
	switch name {
	case "bsonobjectid":
		return func(text []byte) bool { return len(text) == 24 && hexDigits(text) }
	case "byte":
		return isBase64
	case "cidr":
		return func(text []byte) bool {
			return len(validation.IsValidCIDRForLegacyField(nil, string(text), false, nil)) == 0
		}
	case "date":
		return isDate
	case "datetime":
		return isDateTime
	case "duration":
		return isDuration
	case "email":
		return func(text []byte) bool {
			address, err := mail.ParseAddress(string(text))
			return err == nil && address.Address != ""
		}
	case "hexcolor":
		return func(text []byte) bool {
			text = cutPrefix(text, '#')
			return (len(text) == 3 || len(text) == 6) && hexDigits(text)
		}
	case "hostname":
		return hostname()
	case "ipv4":
		return isIPv4
	case "ipv6":
		return func(text []byte) bool {
			s := string(text)
			return strings.Contains(s, ":") && net.ParseIP(s) != nil
		}
	case "k8sshortname":
		return isShortName
	case "k8slongname":
		return isLongName
	case "mac":
		return func(text []byte) bool {
			_, err := net.ParseMAC(string(text))
			return err == nil
		}
	case "password":
		return func([]byte) bool { return true }
	case "rgbcolor":
		const part = `\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*`
		return regexp.MustCompile(`^rgb\(` + part + "," + part + "," + part + `\)$`).Match
	case "ssn":
		return isSSN
	case "uri":
		return func(text []byte) bool {
			_, err := url.ParseRequestURI(string(text))
			return err == nil
		}
	case "uuid":
		return func(text []byte) bool { return isUUID(text, 0, false) }
	case "uuid3":
		return func(text []byte) bool { return isUUID(text, '3', false) }
	case "uuid4":
		return func(text []byte) bool { return isUUID(text, '4', true) }
	case "uuid5":
		return func(text []byte) bool { return isUUID(text, '5', true) }
	}
	return nil
}

// isIPv4 lets leading zeros through, and an IPv4 address in the clothes of an IPv6 one.
func isIPv4(text []byte) bool {
	s := string(text)
	return strings.Contains(s, ".") && len(validation.IsValidIPForLegacyField(nil, s, false, nil)) == 0
}

// isBase64 requires at least four characters: the API server does not accept the empty string as
// base64.
func isBase64(text []byte) bool {
	if len(text) == 0 || len(text)%4 != 0 {
		return false
	}
	body := cutSuffix(cutSuffix(text, '='), '=')
	for _, c := range body {
		if !isLetter(c) && !isDigit(c) && c != '+' && c != '/' {
			return false
		}
	}
	return true
}

// isSSN wants 123-45-6789, or spaces for the hyphens.
func isSSN(text []byte) bool {
	if len(text) != 11 {
		return false
	}
	for i, c := range text {
		if separator := i == 3 || i == 6; separator && c != '-' && c != ' ' || !separator && !isDigit(c) {
			return false
		}
	}
	return true
}

// isUUID wants 32 hexadecimal digits, with or without hyphens where they belong. version is the
// first digit of the third group, and variant says whether the fourth begins with 8, 9, a or b.
func isUUID(text []byte, version byte, variant bool) bool {
	for group, size := range [...]int{8, 4, 4, 4, 12} {
		if group > 0 {
			text = cutPrefix(text, '-')
		}
		if len(text) < size || !hexDigits(text[:size]) {
			return false
		}
		first := text[0]
		if group == 2 && version != 0 && first != version {
			return false
		}
		if group == 3 && variant && first != '8' && first != '9' && first|0x20 != 'a' && first|0x20 != 'b' {
			return false
		}
		text = text[size:]
	}
	return len(text) == 0
}

// isShortName wants a DNS label: lower case letters, digits and inner hyphens, 63 at most.
func isShortName(text []byte) bool { return len(text) <= 63 && isLabel(text) }

// isLongName wants DNS labels of any length with dots between them, 253 characters in all at most.
func isLongName(text []byte) bool {
	if len(text) > 253 {
		return false
	}
	start := 0
	for i := 0; i <= len(text); i++ {
		if i == len(text) || text[i] == '.' {
			if !isLabel(text[start:i]) {
				return false
			}
			start = i + 1
		}
	}
	return true
}

func isLabel(text []byte) bool {
	if len(text) == 0 || text[0] == '-' || text[len(text)-1] == '-' {
		return false
	}
	for _, c := range text {
		if (c < 'a' || c > 'z') && !isDigit(c) && c != '-' {
			return false
		}
	}
	return true
}

// hostname returns the check of host names. They may have letters and symbols of any language, but
// for the last label of several.
func hostname() func(text []byte) bool {
	const (
		start = `[a-zA-Z0-9\p{S}\p{L}]`
		inner = `[a-zA-Z0-9\-\p{S}\p{L}]`
	)
	single := start + `(-?` + start + `{0,62})?`
	several := `(` + start + `(` + inner + `{0,61}` + start + `)?\.)+[a-zA-Z\p{L}]{2,63}`
	pattern := regexp.MustCompile(`^(` + single + `|` + several + `)$`)
	return func(text []byte) bool {
		if len(text) > 255 || !pattern.Match(text) {
			return false
		}
		for label := range strings.SplitSeq(string(text), ".") {
			if len(label) > 63 {
				return false
			}
		}
		return true
	}
}

func hexDigits(text []byte) bool {
	for _, c := range text {
		if !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool  { return c-'0' <= 9 }
func isLetter(c byte) bool { return c|0x20-'a' < 26 }

// cutPrefix returns the text without the byte at its beginning, if it is there.
func cutPrefix(text []byte, c byte) []byte {
	if len(text) > 0 && text[0] == c {
		return text[1:]
	}
	return text
}

// cutSuffix returns the text without the byte at its end, if it is there.
func cutSuffix(text []byte, c byte) []byte {
	if n := len(text); n > 0 && text[n-1] == c {
		return text[:n-1]
	}
	return text
}
