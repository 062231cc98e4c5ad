package generate

import "math"

// texts are strings that converters read wrongly: empty and long ones, other alphabets, escapes,
// text that looks like a number, a boolean, a list, a duration, a quantity, a host with a port.
var texts = []string{
	"a", "b", "example", "c", "Example", "é 漢字 😀", "tab\tquote\"backslash\\", "null", "true", "0", "01", "1.0", "1.50", "1e3",
	"9007199254740993", " leading", "trailing ", "a,b", "a=b", "a=b,c!=d", "key in (a, b)", "a b c", "a  b", "a/b", "a:b", "a.b", "-", "*",
	"90s", "1h30m", "1h30m0s", "60m", "1Gi", "1024Mi", "1000m", "0.5", "50%", "2024-02-29T23:59:59Z", "https://example.com:8443/a?b=c#d",
	"example.com:80", "[::1]:80", "10.0.0.1", "fd00::1", "*/5 * * * *", `{"a":1}`, "[1]", "<&>", "\u2028", "line\nline",
}

// formats are values of the formats that API servers check.
var formats = map[string][]string{
	"date-time":      {"2024-02-29T23:59:59Z", "1970-01-01T00:00:00Z", "2024-02-29T23:59:59.123456Z", "2024-02-29T23:59:59+05:30", "1965-07-01T08:00:00Z"},
	"datetime":       {"2024-02-29T23:59:59Z", "1970-01-01T00:00:00.000Z"},
	"date":           {"2024-02-29", "1970-01-01"},
	"duration":       {"90s", "1h30m", "0s", "1h30m0s", "60m", "500ms", "1.5h"},
	"email":          {"a@example.com"},
	"hostname":       {"example.com", "a"},
	"ipv4":           {"10.0.0.1", "0.0.0.0"},
	"ipv6":           {"fd00::1", "2001:db8:0:0:0:0:0:1"},
	"cidr":           {"10.0.0.0/8", "10.0.0.1/8", "fd00::/64"},
	"mac":            {"00:00:5e:00:53:01", "00-00-5E-00-53-01"},
	"uri":            {"https://example.com/a?b=c", "https://example.com", "/a"},
	"uuid":           {"f81d4fae-7dec-41d0-a765-00a0c91e6bf6", "F81D4FAE7DEC41D0A76500A0C91E6BF6"},
	"uuid3":          {"6fa459ea-ee8a-3ca4-894e-db77e160355e"},
	"uuid4":          {"f81d4fae-7dec-41d0-a765-00a0c91e6bf6"},
	"uuid5":          {"886313e1-3b8a-5372-9b90-0c9aee199e5d"},
	"isbn":           {"0321751043"},
	"isbn10":         {"0321751043"},
	"isbn13":         {"978-0321751041"},
	"creditcard":     {"4111111111111111"},
	"ssn":            {"123-45-6789"},
	"hexcolor":       {"#FFFFFF", "abc"},
	"rgbcolor":       {"rgb(255,0,0)"},
	"byte":           {"YQ==", "", "AAEC/w=="},
	"bsonobjectid":   {"507f1f77bcf86cd799439011"},
	"k8s-short-name": {"a", "a-0"},
	"k8s-long-name":  {"a", "a.b-c"},
}

// integers are boundary values of integers: of their types, ports, percentages.
var integers = []int64{
	0, 1, -1, 2, 3, 10, 42, 80, 100, 443, 8080, 65535, 65536, math.MaxInt32, math.MaxInt32 + 1, math.MinInt32, 1<<53 + 1, math.MaxInt64, math.MinInt64,
}

// fractions are boundary values of numbers.
var fractions = []float64{0.1, 1.5, -0.25, 0.5, 99.99, 1e-7, 1e21, 3.141592653589793}
