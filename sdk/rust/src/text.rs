//! JSON strings: from text and to text.

use alloc::vec::Vec;

/// Appends text as a JSON string.
pub(crate) fn quote(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    let mut plain = 0;
    for (i, c) in bytes.iter().enumerate() {
        let short = match c {
            b'"' | b'\\' => *c,
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            0..=0x1f => b'u',
            _ => continue,
        };
        out.extend_from_slice(&bytes[plain..i]);
        plain = i + 1;
        out.extend_from_slice(&[b'\\', short]);
        if short == b'u' {
            const HEX: &[u8; 16] = b"0123456789abcdef";
            out.extend_from_slice(&[b'0', b'0', HEX[(c >> 4) as usize], HEX[(c & 15) as usize]]);
        }
    }
    out.extend_from_slice(&bytes[plain..]);
    out.push(b'"');
}

/// Appends the text of a JSON string, given without its quotes. Surrogates without a partner become U+FFFD, as do bytes that
/// are not UTF-8.
pub(crate) fn unquote(out: &mut Vec<u8>, mut inner: &[u8]) {
    while let Some(at) = inner.iter().position(|c| *c == b'\\') {
        out.extend_from_slice(&inner[..at]);
        let Some(&c) = inner.get(at + 1) else {
            inner = &inner[at + 1..];
            break;
        };
        inner = &inner[at + 2..];
        match c {
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'u' => {
                let mut code = hex4(inner);
                inner = inner.get(4..).unwrap_or_default();
                if (0xd800..0xdc00).contains(&code) && inner.starts_with(b"\\u") {
                    let low = hex4(&inner[2..]);
                    if (0xdc00..0xe000).contains(&low) {
                        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                        inner = inner.get(6..).unwrap_or_default();
                    }
                }
                let c = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            _ => out.push(c),
        }
    }
    out.extend_from_slice(inner);
}

/// Returns the value of four hexadecimal digits, U+FFFD if they are not there.
fn hex4(text: &[u8]) -> u32 {
    let digits = text.get(..4).filter(|d| d.iter().all(u8::is_ascii_hexdigit));
    let digits = digits.and_then(|d| core::str::from_utf8(d).ok());
    digits.and_then(|d| u32::from_str_radix(d, 16).ok()).unwrap_or(0xfffd)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    fn quoted(text: &str) -> String {
        let mut out = Vec::new();
        quote(&mut out, text);
        String::from_utf8(out).unwrap()
    }

    fn unquoted(inner: &str) -> String {
        let mut out = Vec::new();
        unquote(&mut out, inner.as_bytes());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn there_and_back() {
        for (text, json) in [
            ("", r#""""#),
            ("plain é 😀 \u{7f}", "\"plain é 😀 \u{7f}\""),
            ("a\"b\\c\n\r\t\u{0}\u{1f}d", r#""a\"b\\c\n\r\t\u0000\u001fd""#),
        ] {
            assert_eq!(quoted(text), json);
            assert_eq!(unquoted(&json[1..json.len() - 1]), text);
        }
    }

    #[test]
    fn escapes() {
        for (inner, text) in [
            (r"\u00e9\ud83d\ude00\/\b\f", "é😀/\u{8}\u{c}"),
            (r"\ud83d", "\u{fffd}"),
            (r"\ud83dx", "\u{fffd}x"),
            (r"\ude00\ud83d\u0041", "\u{fffd}\u{fffd}A"),
            (r"\u00", "\u{fffd}"),
            (r"\u+0a1", "\u{fffd}"),
            ("\\", ""),
        ] {
            assert_eq!(unquoted(inner), text, "{inner}");
        }
    }
}
