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
        let from = from.keys();
        let Some(text) = self.text(from) else { return false };
        let parts: Vec<&str> = cut(text, separator).collect();
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
        let mut parts = Vec::new();
        for path in from {
            let Some(part) = self.text(path.keys()) else { continue };
            if cut(part, separator).count() > 1 {
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
        if !self.vacant(to.keys(), first, "joined") || !self.reversible(&joined, separator, &parts, first) {
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
        if !parts.is_empty() && !self.reversible(&joined, separator, &parts, path.keys()) {
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
    fn reversible(self, joined: &str, separator: &str, parts: &[&str], path: &[&str]) -> bool {
        let reversible = separator.is_empty() || cut(joined, separator).eq(parts.iter().copied());
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
