//! The hash of the stash (docs/spec/stash.md): 64 bits of a JSON value. It does not depend on the order
//! of members, white space, escapes or the spelling of numbers, because an API server may change
//! all of these. It detects changes and is not a security measure.

use alloc::format;
use alloc::vec::Vec;

use crate::served;
use crate::value::{Type, Value};

/// FNV-1a with 64 bits.
#[derive(Clone, Copy)]
pub(crate) struct Fnv(u64);

impl Fnv {
    pub fn new(kind: u8) -> Self {
        Fnv(0xcbf2_9ce4_8422_2325).bytes(&[kind])
    }

    fn bytes(mut self, bytes: &[u8]) -> Self {
        for b in bytes {
            self.0 = (self.0 ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3);
        }
        self
    }

    pub fn word(self, word: u64) -> Self {
        self.bytes(&word.to_le_bytes())
    }

    /// Spreads every bit over the whole result: members are added up, for which FNV alone is too regular.
    pub fn sum(self) -> u64 {
        let mut x = self.0;
        x = (x ^ x >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
        x = (x ^ x >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        x ^ x >> 33
    }
}

/// Returns the hash of a value; what is absent is null.
pub(crate) fn hash(v: Option<Value>) -> u64 {
    let Some(v) = v else { return Fnv::new(b'n').sum() };
    let h = match v.type_of() {
        Type::Object => return hash_members(v, |_| true),
        Type::Array => v.elements([]).fold(Fnv::new(b'a'), |h, element| h.word(hash(Some(element)))),
        Type::String => Fnv::new(b's').bytes(v.str([]).ok().flatten().unwrap_or_default().as_bytes()),
        Type::Number => number(served::number(v.json()).as_bytes()),
        Type::Bool => Fnv::new(v.n.kind()),
        Type::Null | Type::Invalid => Fnv::new(b'n'),
    };
    h.sum()
}

/// Returns the hash of an object as if it had only the members with these keys.
pub(crate) fn hash_members(v: Value, counts: impl Fn(&str) -> bool) -> u64 {
    let members = v.members([]).filter(|(key, member)| member.type_of() != Type::Null && counts(key));
    let sum = members.fold(0u64, |sum, (key, member)| {
        sum.wrapping_add(Fnv::new(b'm').word(hash(Some(member))).bytes(key.as_bytes()).sum())
    });
    Fnv::new(b'o').word(sum).sum()
}

/// Hashes a number, as an API server writes it, in its normal form: "0", or the significant digits, "e" and the power of ten, so
/// that 1000, 1e3 and 1000.0 are alike.
fn number(text: &[u8]) -> Fnv {
    let h = Fnv::new(b'd');
    let (negative, text) = match text.strip_prefix(b"-") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (mut digits, mut exponent, mut fraction) = (Vec::new(), 0i64, false);
    for (i, c) in text.iter().enumerate() {
        match c {
            b'e' | b'E' => {
                let power = core::str::from_utf8(&text[i + 1..]).unwrap_or_default();
                // Beyond 32 bits a number is 0 or refused by the gateway.
                exponent += power.parse().unwrap_or(0i64).clamp(i32::MIN.into(), i32::MAX.into());
                break;
            }
            b'.' => fraction = true,
            c => {
                exponent -= i64::from(fraction);
                if *c != b'0' || !digits.is_empty() {
                    digits.push(*c);
                }
            }
        }
    }
    while digits.last() == Some(&b'0') {
        digits.pop();
        exponent += 1;
    }
    if digits.is_empty() {
        return h.bytes(b"0");
    }
    let h = if negative { h.bytes(b"-") } else { h };
    h.bytes(&digits).bytes(format!("e{exponent}").as_bytes())
}
