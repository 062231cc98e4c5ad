//! Integers as strings.

use alloc::format;

use crate::edit::Raw;
use crate::object::quoted;
use crate::path::Path;
use crate::value::Value;

impl<'a> Value<'a> {
    /// Replaces the string at path by the integer that it has in decimal digits, such as "80" by 80. Reports whether the string was
    /// present. The object is refused if the string is not an integer as JSON has it ("080", "+1" and "-0" are not, because
    /// [`string_from_int`](Value::string_from_int) would not restore them). Integers of any size keep their digits.
    pub fn int_from_string(self, path: impl Path) -> bool {
        let path = path.keys();
        let Some(text) = self.text(path) else { return false };
        if !integer(text) {
            self.d.fail(format!("{} must be an integer, but is {}", self.location(path), quoted(text)));
            return false;
        }
        self.set(path, Raw(text));
        true
    }

    /// The inverse of [`int_from_string`](Value::int_from_string): replaces the integer at path by a string. The object is refused if
    /// the value is not a number, or has a fraction or an exponent.
    pub fn string_from_int(self, path: impl Path) -> bool {
        let path = path.keys();
        let text = self.raw(path).unwrap_or_default();
        if integer(text) {
            self.set(path, text);
            return true;
        }
        if text.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
            self.d.fail(format!("{} must be an integer, but is {text}", self.location(path)));
        } else if let Err(error) = self.int(path) {
            self.d.fail(error); // of another type
        }
        false
    }
}

/// Reports whether text is an integer in its only spelling.
fn integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').filter(|digits| !digits.starts_with('0')).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'))
}
