package codec

import "github.com/crosswalk-gateway/crosswalk/sdk/go/internal/quote"

// appendCompact appends JSON text without blanks, with <, > and & and the two line separators
// escaped, as json.Marshal does with the result of a MarshalJSON.
func appendCompact(dst, text []byte) ([]byte, error) {
	d := decoderOf(nil, padded(text))
	d.blank()
	if err := d.skip(); err != nil {
		return dst, err
	}
	if d.blank(); d.pos != len(d.text) {
		return dst, errSyntax
	}
	start, quoted := 0, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == '<' || c == '>' || c == '&':
			dst = quote.AppendEscape(append(dst, text[start:i]...), c, quote.Standard)
			start = i + 1
		case c == 0xe2 && i+2 < len(text) && text[i+1] == 0x80 && text[i+2]&^1 == 0xa8:
			dst = append(append(dst, text[start:i]...), '\\', 'u', '2', '0', '2', '0'+text[i+2]&0xf)
			start = i + 3
			i += 2
		case !quoted && (c == ' ' || c == '\t' || c == '\r' || c == '\n'):
			dst = append(dst, text[start:i]...)
			start = i + 1
		}
	}
	return append(dst, text[start:]...), nil
}
