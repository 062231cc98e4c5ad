//! One string of several, and several of one.

use alloc::format;
use alloc::vec::Vec;

use crate::edit::Strings;
use crate::object::quoted;
use crate::path::Path;
use crate::value::{Type, Value};

impl<'a> Value<'a> {
    /// Takes the string at path `from` apart at every separator and puts the parts at the paths `to`, of which there must be
    /// as many as parts: a host and a port of "host:port". The string is removed. Says whether it was there; nothing is done
    /// where it is absent. Another number of parts refuses the object, and so does a value that is at one of the paths already.
    pub fn split<P: Path>(self, separator: &str, from: impl Path, to: &[P]) -> bool {
        let from = from.keys();
        let Some(text) = self.text(from) else { return false };
        let parts: Vec<&str> = cut(text, separator).collect();
        if parts.len() != to.len() {
            let (at, want, have) = (self.location(from), to.len(), parts.len());
            let (separator, text) = (quoted(separator), quoted(text));
            self.d.fail(format!("{at} must have {want} parts separated by {separator}, but {text} has {have}"));
            return false;
        }
        self.delete(from);
        for (part, to) in parts.iter().zip(to) {
            if !self.vacant(to.keys(), from, "split") {
                return false;
            }
            self.set(to.keys(), part);
        }
        true
    }

    /// The opposite of [`split`](Value::split): puts the strings at the paths `from` together, with the separator between
    /// them, and the result at path `to`; the parts are removed. If any of them is absent, nothing is done and false returned,
    /// as in a fragment: what to do about some of the parts is the converter's to say ([`stash`](Value::stash) keeps them). A
    /// part that contains the separator refuses the object, as `split` would not give it back, and so does a value that is
    /// at path `to` already.
    pub fn join<P: Path>(self, separator: &str, to: impl Path, from: &[P]) -> bool {
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
            self.delete(path.keys());
        }
        let joined = parts.join(separator);
        let first = from[0].keys();
        if !self.vacant(to.keys(), first, "joined") || !self.reversible(&joined, separator, &parts, first) {
            return false;
        }
        self.set(to, joined);
        true
    }

    /// Makes a list of strings of the string at path, cut at every separator; of the empty string, an empty list. Says whether
    /// the string was there.
    pub fn split_list(self, separator: &str, path: impl Path) -> bool {
        let Some(text) = self.text(path.keys()) else { return false };
        let parts: Vec<&str> = if text.is_empty() { Vec::new() } else { cut(text, separator).collect() };
        self.set(path, Strings(&parts));
        true
    }

    /// Makes one string of the list of strings at path, with the separator between them. Says whether the list was there. An
    /// element that contains the separator refuses the object, and so does a list of one empty string, as an empty list joins
    /// to the same.
    pub fn join_list(self, separator: &str, path: impl Path) -> bool {
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
