//! One string of several, and several of one.

use alloc::format;
use alloc::vec::Vec;

use crate::edit::Strings;
use crate::object::quoted;
use crate::path::Path;
use crate::value::{Type, Value};

impl<'a> Value<'a> {
    /// Cuts the string at path `from` at every separator, removes it, and sets the paths `to` to the parts: "host:port" to a host
    /// and a port. Reports whether the string was present; does nothing if it is absent. The object is refused if the number of
    /// parts differs from the number of paths, or if one of the paths already has a value.
    pub fn split<P: Path>(self, from: impl Path, separator: &str, to: &[P]) -> bool {
        self.split_at(from.keys(), separator, to, false)
    }

    /// Cuts the string at path `from` at the last separators only, so that the first part may contain separators:
    /// "registry:5000/shop:1.2" at ":" to "registry:5000/shop" and "1.2". Otherwise it is like [`split`](Value::split). The object
    /// is refused if there are fewer parts than paths.
    pub fn split_last<P: Path>(self, from: impl Path, separator: &str, to: &[P]) -> bool {
        self.split_at(from.keys(), separator, to, true)
    }

    fn split_at<P: Path>(self, from: &[&str], separator: &str, to: &[P], last: bool) -> bool {
        let Some(text) = self.text(from) else { return false };
        let parts = parts_of(text, separator, to.len(), last);
        if parts.len() != to.len() {
            let (at, want, have) = (self.location(from), to.len(), parts.len());
            let (separator, text) = (quoted(separator), quoted(text));
            self.d.fail(format!("{at} must have {want} parts separated by {separator}, but {text} has {have}"));
            return false;
        }
        self.remove(from);
        for (part, to) in parts.iter().zip(to) {
            if !self.vacant(to.keys(), from, "split") {
                return false;
            }
            self.set(to.keys(), part);
        }
        true
    }

    /// The inverse of [`split`](Value::split): joins the strings at the paths `from` with the separator between them, sets path
    /// `to` to the result, and removes the parts. If a part is absent, as in a fragment, `join` does nothing and returns false;
    /// the converter decides about the remaining parts ([`stash`](Value::stash) keeps them). The object is refused if a part
    /// contains the separator, because `split` would not restore it, or if path `to` already has a value.
    pub fn join<P: Path>(self, to: impl Path, separator: &str, from: &[P]) -> bool {
        self.join_at(to, separator, from, false)
    }

    /// The inverse of [`split_last`](Value::split_last): like [`join`](Value::join), but the first part may contain the separator.
    pub fn join_last<P: Path>(self, to: impl Path, separator: &str, from: &[P]) -> bool {
        self.join_at(to, separator, from, true)
    }

    fn join_at<P: Path>(self, to: impl Path, separator: &str, from: &[P], last: bool) -> bool {
        let mut parts = Vec::new();
        for (i, path) in from.iter().enumerate() {
            let Some(part) = self.text(path.keys()) else { continue };
            if !(last && i == 0) && cut(part, separator).count() > 1 {
                let at = self.location(path.keys());
                self.d.fail(format!("{at} must not contain {}, but is {}", quoted(separator), quoted(part)));
                return false;
            }
            parts.push(part);
        }
        if from.is_empty() || parts.len() < from.len() || self.d.error.get().is_some() {
            return false;
        }
        for path in from {
            self.remove(path.keys());
        }
        let joined = parts.join(separator);
        let first = from[0].keys();
        if !self.vacant(to.keys(), first, "joined") || !self.reversible(&joined, separator, &parts, first, last) {
            return false;
        }
        self.set(to, joined);
        true
    }

    /// Cuts the string at path at every separator and replaces it by the list of its parts; the empty string becomes an empty
    /// list. Reports whether the string was present.
    pub fn split_list(self, path: impl Path, separator: &str) -> bool {
        let Some(text) = self.text(path.keys()) else { return false };
        let parts: Vec<&str> = if text.is_empty() { Vec::new() } else { cut(text, separator).collect() };
        self.set(path, Strings(&parts));
        true
    }

    /// Replaces the list of strings at path by one string, with the separator between the elements. Reports whether the list was
    /// present. The object is refused if an element contains the separator, or if the list is one empty string, which would join
    /// to the same string as an empty list.
    pub fn join_list(self, path: impl Path, separator: &str) -> bool {
        let Some(list) = self.container(path.keys(), Type::Array, "an array") else { return false };
        let mut parts = Vec::new();
        for element in list.elements([]) {
            if element.type_of() == Type::Null {
                self.d.fail(element.wrong("a string"));
            }
            let Some(part) = element.text(&[]) else { return false };
            if cut(part, separator).count() > 1 {
                let at = element.location([]);
                self.d.fail(format!("{at} must not contain {}, but is {}", quoted(separator), quoted(part)));
                return false;
            }
            parts.push(part);
        }
        if parts == [""] {
            self.d.fail(format!("{} must not be a list of one empty string", list.location([])));
            return false;
        }
        let joined = parts.join(separator);
        if !parts.is_empty() && !self.reversible(&joined, separator, &parts, path.keys(), false) {
            return false;
        }
        self.set(path, joined);
        true
    }

    /// Says that nothing, or null, is at path, and refuses the object otherwise: something would be lost.
    fn vacant(self, path: &[&str], from: &[&str], verb: &str) -> bool {
        let vacant = self.get(path).is_none();
        if !vacant {
            let (from, at) = (self.location(from), self.location(path));
            self.d.fail(format!("{from} cannot be {verb}: {at} is there already"));
        }
        vacant
    }

    /// Says that joined text, when it is cut again, gives the parts: parts like "a:" with "::" between them do not.
    fn reversible(self, joined: &str, separator: &str, parts: &[&str], path: &[&str], last: bool) -> bool {
        let reversible = separator.is_empty() || parts_of(joined, separator, parts.len(), last) == parts;
        if !reversible {
            let (at, separator, joined) = (self.location(path), quoted(separator), quoted(joined));
            self.d.fail(format!("{at} cannot be joined with {separator}: {joined} would be taken apart otherwise"));
        }
        reversible
    }

    /// Returns the string at path; what is wrong is remembered.
    pub(crate) fn text(self, path: &[&str]) -> Option<&'a str> {
        self.str(path).unwrap_or_else(|error| {
            self.d.fail(error);
            None
        })
    }
}

/// Cuts text at every separator, or at the last ones only, so that there are at most `count` parts.
fn parts_of<'t>(text: &'t str, separator: &'t str, count: usize, last: bool) -> Vec<&'t str> {
    let mut parts: Vec<&str> = cut(text, separator).collect();
    if last && count > 0 && parts.len() > count {
        let more = parts.len() - count;
        let end = parts[..=more].iter().map(|part| part.len()).sum::<usize>() + more * separator.len();
        parts.drain(..more);
        parts[0] = &text[..end];
    }
    parts
}

/// Cuts text at every separator; an empty one cuts nothing.
fn cut<'t>(text: &'t str, separator: &'t str) -> impl Iterator<Item = &'t str> {
    let mut rest = Some(text);
    core::iter::from_fn(move || {
        let text = rest?;
        let (part, more) = match text.split_once(separator) {
            Some((part, more)) if !separator.is_empty() => (part, Some(more)),
            _ => (text, None),
        };
        rest = more;
        Some(part)
    })
}
