//! Finds the ends of JSON values without looking into them, 64 bytes at a time.
//!
//! The text is trusted to be valid JSON. On anything else the answers are `None` or wrong, never beyond the text.

/// Returns the position of the first byte at or after `at` that is no white space.
#[inline]
pub(crate) fn skip_space(text: &[u8], mut at: usize) -> usize {
    while at < text.len() && text[at] <= b' ' {
        at += 1;
    }
    at
}

/// Returns the end of the string whose first character is at `at`, behind its quote, and whether it has escapes.
pub(crate) fn string_end(text: &[u8], mut at: usize) -> Option<(usize, bool)> {
    let mut escaped = false;
    loop {
        at = block::quote_or_slash(text, at)?;
        if text[at] == b'"' {
            return Some((at + 1, escaped));
        }
        escaped = true;
        at += 2;
    }
}

/// Returns the end of the value that begins at `at`.
#[inline]
pub(crate) fn value_end(text: &[u8], at: usize) -> Option<usize> {
    match *text.get(at)? {
        b'"' => string_end(text, at + 1).map(|(end, _)| end),
        b'{' | b'[' => block::container_end(text, at),
        _ => {
            let is_end = |c: &u8| matches!(c, b',' | b'}' | b']' | 0..=b' ');
            let len = text[at..].iter().position(is_end).unwrap_or(text.len() - at);
            (len > 0).then_some(at + len)
        }
    }
}

/// What 64 bytes of JSON have: one bit for each byte.
struct Marks {
    quotes: u64,
    slashes: u64,
    opens: u64,
    closes: u64,
}

/// What is known at the boundary between two blocks of 64 bytes.
#[derive(Default)]
struct State {
    inside: u64, // all ones within a string
    escape: u64, // 1 if the next byte is escaped
    depth: u32,
}

impl State {
    /// Goes on by a block. Returns the position in it behind the bracket that closes the outermost container.
    #[inline(always)]
    fn step(&mut self, mut m: Marks) -> Option<usize> {
        let mut escaped = self.escape;
        self.escape = 0;
        let mut slashes = m.slashes & !escaped;
        while slashes != 0 {
            let bit = slashes & slashes.wrapping_neg();
            escaped |= bit << 1;
            self.escape |= bit >> 63;
            slashes &= !(bit | bit << 1); // an escaped backslash escapes nothing
        }
        // A byte is inside a string if the number of quotes up to it, and before this block, is odd.
        let mut q = m.quotes & !escaped;
        for shift in [1, 2, 4, 8, 16, 32] {
            q ^= q << shift;
        }
        q ^= self.inside;
        self.inside = (q >> 63).wrapping_neg();
        m.opens &= !q;
        m.closes &= !q;
        let closing = m.closes.count_ones();
        if closing < self.depth {
            self.depth = self.depth + m.opens.count_ones() - closing;
            return None;
        }
        let mut brackets = m.opens | m.closes;
        while brackets != 0 {
            if m.opens & brackets & brackets.wrapping_neg() != 0 {
                self.depth += 1;
            } else {
                self.depth = self.depth.wrapping_sub(1);
                if self.depth == 0 {
                    return Some(brackets.trailing_zeros() as usize + 1);
                }
            }
            brackets &= brackets - 1;
        }
        None
    }
}

/// The part with vector instructions. Every engine that runs WebAssembly 2.0 has them, so converters need no compiler flags.
#[cfg(target_arch = "wasm32")]
mod block {
    use super::{Marks, State};
    use core::arch::wasm32::*;

    #[inline]
    #[target_feature(enable = "simd128")]
    fn load(text: &[u8], at: usize) -> v128 {
        let bytes: &[u8; 16] = text[at..at + 16].try_into().unwrap();
        // SAFETY: there are 16 bytes, and a load needs no alignment.
        unsafe { v128_load(bytes.as_ptr().cast()) }
    }

    #[target_feature(enable = "simd128")]
    pub fn quote_or_slash(text: &[u8], mut at: usize) -> Option<usize> {
        while text.len() >= 16 && at <= text.len() - 16 {
            let w = load(text, at);
            let found = v128_or(u8x16_eq(w, u8x16_splat(b'"')), u8x16_eq(w, u8x16_splat(b'\\')));
            let m = u8x16_bitmask(found);
            if m != 0 {
                return Some(at + m.trailing_zeros() as usize);
            }
            at += 16;
        }
        let rest = text.get(at..)?;
        rest.iter().position(|c| matches!(c, b'"' | b'\\')).map(|i| at + i)
    }

    #[target_feature(enable = "simd128")]
    pub fn container_end(text: &[u8], mut at: usize) -> Option<usize> {
        let mut state = State::default();
        while text.len() >= 64 && at <= text.len() - 64 {
            if let Some(end) = state.step(mark(text, at)) {
                return Some(at + end);
            }
            at += 64;
        }
        let rest = text.get(at..)?;
        let mut last = [0; 64];
        last[..rest.len()].copy_from_slice(rest);
        state.step(mark(&last, 0)).map(|end| at + end)
    }

    #[inline]
    #[target_feature(enable = "simd128")]
    fn mark(text: &[u8], at: usize) -> Marks {
        let mut m = Marks { quotes: 0, slashes: 0, opens: 0, closes: 0 };
        for i in [0, 16, 32, 48] {
            let w = load(text, at + i);
            let folded = v128_or(w, u8x16_splat(0x20)); // '[' becomes '{', ']' becomes '}'
            m.quotes |= (u8x16_bitmask(u8x16_eq(w, u8x16_splat(b'"'))) as u64) << i;
            m.slashes |= (u8x16_bitmask(u8x16_eq(w, u8x16_splat(b'\\'))) as u64) << i;
            m.opens |= (u8x16_bitmask(u8x16_eq(folded, u8x16_splat(b'{'))) as u64) << i;
            m.closes |= (u8x16_bitmask(u8x16_eq(folded, u8x16_splat(b'}'))) as u64) << i;
        }
        m
    }
}

/// The same for other machines, on which converters are tested: eight bytes at a time in a word.
#[cfg(not(target_arch = "wasm32"))]
mod block {
    use super::{Marks, State};

    /// One bit for each byte of `w` that is `c`.
    fn matches(w: u64, c: u8) -> u64 {
        const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
        let x = w ^ (0x0101_0101_0101_0101 * c as u64);
        let top = !(((x & LOW) + LOW) | x) & !LOW; // 0x80 where they are equal
        (top >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
    }

    pub fn quote_or_slash(text: &[u8], at: usize) -> Option<usize> {
        let rest = text.get(at..)?;
        rest.iter().position(|c| matches!(c, b'"' | b'\\')).map(|i| at + i)
    }

    pub fn container_end(text: &[u8], at: usize) -> Option<usize> {
        let mut state = State::default();
        for (i, part) in text.get(at..)?.chunks(64).enumerate() {
            let mut block = [0; 64];
            block[..part.len()].copy_from_slice(part);
            if let Some(end) = state.step(mark(&block)) {
                return Some(at + i * 64 + end);
            }
        }
        None
    }

    fn mark(block: &[u8; 64]) -> Marks {
        let mut m = Marks { quotes: 0, slashes: 0, opens: 0, closes: 0 };
        for (i, word) in block.chunks_exact(8).enumerate() {
            let w = u64::from_le_bytes(word.try_into().unwrap());
            let folded = w | 0x2020_2020_2020_2020;
            m.quotes |= matches(w, b'"') << (8 * i);
            m.slashes |= matches(w, b'\\') << (8 * i);
            m.opens |= matches(folded, b'{') << (8 * i);
            m.closes |= matches(folded, b'}') << (8 * i);
        }
        m
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn ends() {
        for (text, want) in [
            (r#""a" , "#, Some(3)),
            (r#""a\"b\\","#, Some(8)),
            (r#""a"#, None),
            (r#"{"a":[1,"}]"]} "#, Some(14)),
            (r#"[[],[[]]],"#, Some(9)),
            ("{", None),
            ("12.5e3,", Some(6)),
            ("null", Some(4)),
            ("", None),
            (",", None),
        ] {
            assert_eq!(value_end(text.as_bytes(), 0), want, "{text}");
        }
    }

    /// Escapes, quotes and brackets at every place of the blocks.
    #[test]
    fn boundaries() {
        for n in 0..140 {
            for tail in [r#"\\"}"#, r#"\"}"}"#, r#"\\\"{["}"#, r#"]}"}"#] {
                let text = format!("{{\"{}{tail} {}", "x".repeat(n), "]}".repeat(n % 7));
                assert_eq!(value_end(text.as_bytes(), 0), Some(2 + n + tail.len()), "{text}");
            }
        }
    }
}
