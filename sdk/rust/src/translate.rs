//! Words that have other names in the other version.

use crate::path::Path;
use crate::value::Value;

/// Which strings of two versions correspond: pairs of the older and the newer version's, or whichever way the converter has it.
pub type Enum<'e> = &'e [(&'e str, &'e str)];

impl Value<'_> {
    /// Replaces the string at path, one of the left side of a pair, by its right side, and says whether there is such a pair.
    /// A string without one stays as it is: it is the schema that says what is allowed, and nothing is lost by it.
    pub fn translate(self, pairs: Enum, path: impl Path) -> bool {
        self.exchange(pairs.iter().copied(), path.keys())
    }

    /// Replaces the string at path, one of the right side of a pair, by its left side. Of pairs that say the same on the right,
    /// the first one counts.
    pub fn translate_back(self, pairs: Enum, path: impl Path) -> bool {
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
