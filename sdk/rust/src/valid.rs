//! Checks JSON that comes from the converter's own code. The gateway has already checked the
//! objects.

/// The depth to which the gateway takes nested objects and arrays.
const DEPTH: usize = 1000;

/// Returns text without the white space around it if it is one JSON value, nested no deeper than the gateway takes.
pub(crate) fn json(text: &str) -> Option<&str> {
    let text = text.trim_matches([' ', '\t', '\n', '\r']);
    let mut parser = Parser { text: text.as_bytes(), at: 0 };
    parser.value(DEPTH)?;
    (parser.at == text.len()).then_some(text)
}

struct Parser<'t> {
    text: &'t [u8],
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    /// Goes on by one byte if it is `c`.
    fn take(&mut self, c: u8) -> bool {
        let taken = self.peek() == c && self.at < self.text.len();
        self.at += taken as usize;
        taken
    }

    fn space(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\n' | b'\r') {
            self.at += 1;
        }
    }

    /// Reads a value; None if there is none, or it has more than `depth` levels.
    fn value(&mut self, depth: usize) -> Option<()> {
        match self.peek() {
            b'"' => self.string(),
            open @ (b'{' | b'[') => {
                let close = open + 2;
                let depth = depth.checked_sub(1)?;
                self.at += 1;
                self.space();
                if self.take(close) {
                    return Some(());
                }
                loop {
                    if open == b'{' {
                        self.string()?;
                        self.space();
                        self.take(b':').then_some(())?;
                        self.space();
                    }
                    self.value(depth)?;
                    self.space();
                    if self.take(close) {
                        return Some(());
                    }
                    self.take(b',').then_some(())?;
                    self.space();
                }
            }
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            b'n' => self.word(b"null"),
            _ => self.number(),
        }
    }

    fn word(&mut self, word: &[u8]) -> Option<()> {
        let found = self.text[self.at..].starts_with(word);
        self.at += word.len();
        found.then_some(())
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    fn number(&mut self) -> Option<()> {
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            if !self.take(b'+') {
                self.take(b'-');
            }
            self.digits()?;
        }
        Some(())
    }

    fn string(&mut self) -> Option<()> {
        self.take(b'"').then_some(())?;
        loop {
            let c = *self.text.get(self.at)?;
            self.at += 1;
            match c {
                b'"' => return Some(()),
                0..=0x1f => return None,
                b'\\' => match self.peek() {
                    b'u' => {
                        let digits = self.text.get(self.at + 1..self.at + 5)?;
                        digits.iter().all(u8::is_ascii_hexdigit).then_some(())?;
                        self.at += 5;
                    }
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.at += 1,
                    _ => return None,
                },
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::json;

    #[test]
    fn good() {
        for text in ["0", "-1.5e+3", r#" {"a" : [1, {"b":"]"}], "c":null} "#, "[]", "{}", r#""\u00e9\n""#, "true", "[[[]]]"] {
            assert_eq!(json(text), Some(text.trim()), "{text}");
        }
        let deep = "[".repeat(1000) + &"]".repeat(1000);
        assert!(json(&deep).is_some());
    }

    #[test]
    fn bad() {
        for text in [
            "", " ", "01", "+1", "1.", "1e", "-", ".5", "tru", "nul", "'a'", "[1", "[1,]", r#"{"a":1,}"#, "{a:1}", r#"{"a"}"#,
            r#""\x""#, r#""\u12g4""#, "\"\n\"", "[] []", "[}", "\u{a0}1",
        ] {
            assert_eq!(json(text), None, "{text}");
        }
        let deep = "[".repeat(1001) + &"]".repeat(1001);
        assert!(json(&deep).is_none());
    }
}
