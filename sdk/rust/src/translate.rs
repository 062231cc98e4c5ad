//! Words that have other names in the other version.

use crate::path::Path;
use crate::value::Value;

/// The strings of two versions that correspond: pairs of the string to translate and its translation.
pub type Enum<'e> = &'e [(&'e str, &'e str)];

impl Value<'_> {
    /// Replaces the string at path, the left side of a pair, by its right side, and reports whether there is such a pair. A string
    /// without one stays unchanged: the schema decides which strings are valid, and nothing is lost.
    pub fn translate(self, path: impl Path, pairs: Enum) -> bool {
        self.exchange(pairs.iter().copied(), path.keys())
    }

    /// Replaces the string at path, the right side of a pair, by its left side. Of pairs with the same right side, the first one
    /// counts.
    pub fn translate_back(self, path: impl Path, pairs: Enum) -> bool {
        self.exchange(pairs.iter().map(|(a, b)| (*b, *a)), path.keys())
    }

    fn exchange<'e>(self, mut pairs: impl Iterator<Item = (&'e str, &'e str)>, path: &[&str]) -> bool {
        let Some(text) = self.text(path) else { return false };
        let Some((_, other)) = pairs.find(|(one, _)| *one == text) else { return false };
        if other != text {
            self.set(path, other);
        }
        true
    }
}
