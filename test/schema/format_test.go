package schema

import "math/rand/v2"

// formats are those that the gateway knows, by both of their names where there are two, and a few
// that it ignores as the API server does.
var formats = []string{
	"bsonobjectid", "byte", "cidr", "date", "date-time", "datetime", "duration", "email", "hexcolor", "hostname", "ipv4", "ipv6",
	"k8s-long-name", "k8s-short-name", "mac", "password", "rgbcolor", "ssn", "uri", "uuid", "uuid3", "uuid4", "uuid5", "int32", "quantity",
}

// examples are texts of the formats.
var examples = map[string][]string{
	"bsonobjectid":   {"507f1f77bcf86cd799439011"},
	"byte":           {"aGVsbG8=", "YQ==", "YWJj"},
	"cidr":           {"10.0.0.0/8", "::/0", "2001:db8::/32"},
	"date":           {"2026-08-01", "2024-02-29", "1999-12-31"},
	"date-time":      {"2026-08-01T12:00:00Z", "2026-08-01t23:59:59.999+02:00"},
	"datetime":       {"2026-08-01T12:00:00Z", "2026-08-01T00:00:00-11:30"},
	"duration":       {"1h30m", "2 days", "-1.5s", "3 weeks 1hr", "10us", "5 µs", "7 nanoseconds"},
	"email":          {"a@example.com", "A <a@example.com>"},
	"hexcolor":       {"#fff", "A0b1c2"},
	"hostname":       {"example.com", "a-b.example.com", "localhost", "münchen.de"},
	"ipv4":           {"10.0.0.1", "010.001.0.255", "::ffff:1.2.3.4"},
	"ipv6":           {"::1", "2001:db8::ffff", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4"},
	"k8s-long-name":  {"a.b-c.d0", "example.com"},
	"k8s-short-name": {"a-b", "name0"},
	"mac":            {"01:23:45:67:89:ab", "01-23-45-67-89-AB", "0123.4567.89ab"},
	"password":       {"x"},
	"rgbcolor":       {"rgb(1,20,255)", "rgb( 0 , 1 , 2 )"},
	"ssn":            {"123-45-6789"},
	"uri":            {"https://example.com/a?b", "/path", "urn:x"},
	"uuid":           {"123e4567-e89b-12d3-a456-426614174000"},
	"uuid3":          {"123e4567-e89b-32d3-a456-426614174000"},
	"uuid4":          {"123e4567-e89b-42d3-8456-426614174000"},
	"uuid5":          {"123E4567E89B52D3B456426614174000"},
	"int32":          {"x"},
	"quantity":       {"x"},
}

// nearly changes a text a little, or not at all.
func nearly(random *rand.Rand, text string) string {
	letters := []rune(text)
	for range random.IntN(3) {
		at := random.IntN(len(letters) + 1)
		other := pick(random, '0', '1', '2', '9', 'a', 'f', 'g', 'z', 'A', 'F', 'T', 'Z', '-', '+', '.', ':', '/', ' ', '_', '=', '@', '#', '(', ',', 'é', 'm', 's', '\n')
		switch {
		case at == len(letters) || random.IntN(3) == 0:
			letters = append(letters[:at], append([]rune{other}, letters[at:]...)...)
		case random.IntN(2) == 0:
			letters[at] = other
		default:
			letters = append(letters[:at], letters[at+1:]...)
		}
	}
	return string(letters)
}
