package format

import (
	"strings"
	"testing"
	"time"
)

func TestFormat(t *testing.T) {
	uuid := func(s string) string { return "123e4567-e89b-" + s + "-426614174000" }
	for _, c := range []struct {
		format    string
		good, bad []string
	}{
		{"date", []string{"2026-08-01", "2024-02-29", "0000-01-01", "9999-12-31"},
			[]string{"", "2023-02-29", "2026-13-01", "2026-00-01", "2026-04-31", "2026-01-00", "2026-1-1", "26-01-01", "2026-08-01 ", "2026/08/01", "2026-08-0a"}},
		{"date-time", []string{"2026-08-01T12:00:00Z", "2026-08-01t12:00:00z", "2026-08-01T23:59:59.123456789+02:00", "2026-08-01T00:00:00-99:99", "2026-08-01T00:00:00,5Z", "2026-08-01T00:00:00ZTail"},
			[]string{"", "2026-08-01", "2026-08-01T12:00:00", "2026-08-01 12:00:00Z", "2026-08-01T24:00:00Z", "2026-08-01T00:60:00Z", "2026-08-01T00:00:60Z", "2026-08-01T00:00:00.Z", "2026-08-01T00:00:00.5", "2026-08-01T00:00:00+0200", "2026-02-30T00:00:00Z", "2026-08-01T0:00:00Z"}},
		{"datetime", []string{"2026-08-01T12:00:00Z"}, []string{"x"}},
		{"duration", []string{"1h30m", "1.5h", "-5s", "0", "5 days", "1 week 2 days", "2d", "3 hr", "10 minutes", "1µs", "in 3 secs"},
			[]string{"", "x", "h", "5", "5 parsecs", "99999999999999999999d", "1 y"}},
		{"ipv4", []string{"10.0.0.1", "010.001.000.001", "::ffff:1.2.3.4"}, []string{"", "10.0.0", "256.0.0.1", "::1", "10.0.0.1/8", "1.2.3.4.5"}},
		{"ipv6", []string{"::1", "2001:db8::ffff", "::ffff:1.2.3.4"}, []string{"", "10.0.0.1", ":::", "fe80::1%eth0", "g::"}},
		{"cidr", []string{"10.0.0.0/8", "10.1.2.3/8", "::/0", "010.0.0.0/08"}, []string{"", "10.0.0.0", "10.0.0.0/33", "/8"}},
		{"mac", []string{"01:23:45:67:89:ab", "01-23-45-67-89-AB", "0123.4567.89ab"}, []string{"", "01:23:45:67:89", "01:23:45:67:89:ag"}},
		{"uuid", []string{uuid("12d3-a456"), "123E4567E89B12D3A456426614174000"}, []string{"", uuid("12d3-a45"), uuid("12d3-a4567"), uuid("12d3--a456"), uuid("12d3-a45g"), uuid("12d3-a456") + "0"}},
		{"uuid3", []string{uuid("32d3-a456")}, []string{uuid("42d3-a456")}},
		{"uuid4", []string{uuid("42d3-a456"), uuid("42d3-8456"), uuid("42d3-B456")}, []string{uuid("32d3-a456"), uuid("42d3-c456"), uuid("42d3-7456")}},
		{"uuid5", []string{uuid("52d3-a456")}, []string{uuid("42d3-a456"), uuid("52d3-0456")}},
		{"byte", []string{"aGVsbG8=", "YQ==", "YWJj", "+/+/"}, []string{"", "YQ=", "YQ", "YQ==YQ==", "Y===", "====", "YW\nJj", "YWJ-"}},
		{"email", []string{"a@example.com", "A <a@example.com>"}, []string{"", "a", "@example.com"}},
		{"hostname", []string{"example.com", "localhost", "a", "0", "xn--a.example", "münchen.de", "a.bc", "a-"}, []string{"", "-a", "example.c", "a..com", "a_b.com", "foo-bar.1", strings.Repeat("a", 64) + ".com"}},
		{"uri", []string{"https://example.com/", "/path", "urn:x"}, []string{"", "path", "://"}},
		{"hexcolor", []string{"#fff", "a0B1c2"}, []string{"", "#ffff", "#ggg", "##fff"}},
		{"rgbcolor", []string{"rgb(0,255,99)", "rgb( 0 , 1 , 2 )"}, []string{"", "rgb(256,0,0)", "rgb(0,0)", "rgb(01,0,0)"}},
		{"ssn", []string{"123-45-6789", "123 45 6789"}, []string{"", "123456789", "123-45-678a", "123-456-789"}},
		{"bsonobjectid", []string{"507f1f77bcf86cd799439011"}, []string{"", "507f1f77bcf86cd79943901", "507f1f77bcf86cd79943901g"}},
		{"password", []string{"", "x"}, nil},
		{"k8s-short-name", []string{"a", "a-0", strings.Repeat("a", 63)}, []string{"", "A", "-a", "a-", "a.b", strings.Repeat("a", 64)}},
		{"k8s-long-name", []string{"a", "a-0.b", strings.Repeat("a", 64), strings.Repeat("a.", 126) + "a"}, []string{"", "A", "a..b", ".a", "a.", "a.-b", strings.Repeat("a.", 127) + "a"}},
	} {
		f := Named(c.format)
		if f == nil {
			t.Errorf("format %s is unknown", c.format)
			continue
		}
		for _, text := range c.good {
			if !f.Matches([]byte(text)) {
				t.Errorf("%s does not match %q", c.format, text)
			}
		}
		for _, text := range c.bad {
			if f.Matches([]byte(text)) {
				t.Errorf("%s matches %q", c.format, text)
			}
		}
	}
	for _, name := range []string{"", "isbn", "creditcard", "Date", "int32"} {
		if Named(name) != nil {
			t.Errorf("there is a format %q", name)
		}
	}
}

// TestEveryDate compares with the standard library, day by day and beyond the ends of months.
func TestEveryDate(t *testing.T) {
	for _, year := range []string{"1900", "2000", "2023", "2024", "2100"} {
		for month := range 15 {
			for day := range 34 {
				text := year + "-" + string(rune('0'+month/10)) + string(rune('0'+month%10)) + "-" + string(rune('0'+day/10)) + string(rune('0'+day%10))
				if _, err := time.Parse(time.DateOnly, text); isDate([]byte(text)) != (err == nil) {
					t.Errorf("%s: %v, want %v", text, isDate([]byte(text)), err)
				}
			}
		}
	}
}
