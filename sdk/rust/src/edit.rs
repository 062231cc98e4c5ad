//! Edits never change the text. New keys and values are put in the arena, values are marked, and so is what encloses them;
//! `render` does the rest.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::document::{Document, Node, CLOSED, EDITED, ENTERED, ESCAPED, GONE, LOOSE};
use crate::keyed::separate;
use crate::path::{location, Path};
use crate::value::{Type, Value};
use crate::{text, valid};

/// Values that can be set in an object: text, integers, booleans, other values, and JSON as
/// [`Raw`].
pub trait Json {
    /// Appends the JSON text, or returns the error in it.
    fn write_json(&self, out: &mut Vec<u8>) -> Result<(), &'static str>;
}

/// JSON text, set in an object unchanged. Text that is not JSON refuses the object.
#[derive(Debug, Clone, Copy)]
pub struct Raw<'t>(pub &'t str);

impl Json for Raw<'_> {
    fn write_json(&self, out: &mut Vec<u8>) -> Result<(), &'static str> {
        let text = valid::json(self.0).ok_or("the new value is not valid JSON")?;
        out.extend_from_slice(text.as_bytes());
        Ok(())
    }
}

impl Json for str {
    fn write_json(&self, out: &mut Vec<u8>) -> Result<(), &'static str> {
        text::quote(out, self);
        Ok(())
    }
}

impl Json for String {
    fn write_json(&self, out: &mut Vec<u8>) -> Result<(), &'static str> {
        self.as_str().write_json(out)
    }
}

impl Json for bool {
    fn write_json(&self, out: &mut Vec<u8>) -> Result<(), &'static str> {
        out.extend_from_slice(if *self { b"true" } else { b"false" });
        Ok(())
    }
}

impl Json for Value<'_> {
    fn write_json(&self, out: &mut Vec<u8>) -> Result<(), &'static str> {
        out.extend_from_slice(self.json().as_bytes());
        Ok(())
    }
}

impl<T: Json + ?Sized> Json for &T {
    fn write_json(&self, out: &mut Vec<u8>) -> Result<(), &'static str> {
        (**self).write_json(out)
    }
}

/// JSON that is known to be valid.
pub(crate) struct Known<'t>(pub &'t [u8]);

impl Json for Known<'_> {
    fn write_json(&self, out: &mut Vec<u8>) -> Result<(), &'static str> {
        out.extend_from_slice(self.0);
        Ok(())
    }
}

/// A list of strings.
pub(crate) struct Strings<'t>(pub &'t [&'t str]);

impl Json for Strings<'_> {
    fn write_json(&self, out: &mut Vec<u8>) -> Result<(), &'static str> {
        out.push(b'[');
        for text in self.0 {
            separate(out);
            text::quote(out, text);
        }
        out.push(b']');
        Ok(())
    }
}

macro_rules! integers {
    ($($t:ty)*) => {$(
        impl Json for $t {
            fn write_json(&self, out: &mut Vec<u8>) -> Result<(), &'static str> {
                let (mut digits, mut at, mut rest) = ([0; 20], 20, self.unsigned_abs());
                loop {
                    at -= 1;
                    digits[at] = b'0' + (rest % 10) as u8;
                    rest /= 10;
                    if rest == 0 {
                        break;
                    }
                }
                if *self < 0 {
                    out.push(b'-');
                }
                out.extend_from_slice(&digits[at..]);
                Ok(())
            }
        }
    )*};
}

integers! { i32 i64 }

impl Json for u32 {
    fn write_json(&self, out: &mut Vec<u8>) -> Result<(), &'static str> {
        i64::from(*self).write_json(out)
    }
}

impl<'a> Value<'a> {
    /// Sets the value at path. It replaces the existing value in place, or adds a new last member;
    /// absent or null objects on the path are created.
    pub fn set(self, path: impl Path, value: impl Json) {
        let path = path.keys();
        if let Some(text) = self.keep(path, &value) {
            self.put(path, text);
        }
    }

    /// Appends a value to the array at path. Creates the array if it is absent or null.
    pub fn append(self, path: impl Path, value: impl Json) {
        let path = path.keys();
        if let Some(text) = self.keep(path, &value) {
            self.put_last(path, text);
        }
    }

    /// Removes the object at path if it has no members, and reports whether it did. Call it after a `move_to` out of the object:
    /// an object that only the other version has would stay, empty. A value of another type refuses the object.
    pub fn remove_if_empty(self, path: impl Path) -> bool {
        let Some(v) = self.get(path) else { return false };
        if v.type_of() != Type::Object {
            let _ = v.members([]).next(); // refuses the object
            return false;
        }
        v.members([]).next().is_none() && v.remove([])
    }

    /// Removes the value at path and reports whether it was present; null counts as present.
    pub fn remove(self, path: impl Path) -> bool {
        let Some(v) = self.target(path.keys()) else { return false };
        if v.n.parent.get().is_none() {
            self.d.fail("the object as a whole cannot be deleted");
            return false;
        }
        v.detach();
        true
    }

    /// Changes the key of the member at path; the member keeps its value and its position. Reports
    /// whether the member is present. A key that is already taken refuses the object, because the
    /// other member would be lost.
    pub fn rename(self, path: impl Path, key: &str) -> bool {
        let Some(v) = self.target(path.keys()) else { return false };
        let Some(parent) = v.n.parent.get().filter(|p| p.kind() == b'{') else {
            self.d.fail(format!("{} cannot be renamed: it is not a member of an object", v.location([])));
            return false;
        };
        match self.d.find(parent, key) {
            Some(taken) if core::ptr::eq(taken, v.n) => {}
            Some(taken) => {
                let taken = location(self.d, Some(taken), &[]);
                self.d.fail(format!("{} cannot be renamed: {taken} is there already", v.location([])));
                return false;
            }
            None => {
                v.set_key(key);
                v.changed();
            }
        }
        true
    }

    /// Moves the member at path `from`, with its text and edits, to path `to`, where it becomes the
    /// last member of its object. Absent objects on the path are created. Reports whether `from`
    /// was present. A value other than null at `to` refuses the object.
    pub fn move_to(self, from: impl Path, to: impl Path) -> bool {
        let (from, to) = (from.keys(), to.keys());
        let Some(v) = self.target(from) else { return false };
        let (Some(_), Some((key, on_the_way))) = (v.n.parent.get(), to.split_last()) else {
            let (from, to) = (location(self.d, Some(self.n), from), location(self.d, Some(self.n), to));
            self.d.fail(format!("{from} cannot be moved to {to}"));
            return false;
        };
        v.detach();
        let Some(parent) = self.make(on_the_way, to) else { return false };
        if let Some(n) = self.d.find(parent.n, key) {
            let taken = Value { d: self.d, n };
            if taken.type_of() != Type::Null {
                let from = location(self.d, Some(self.n), from);
                self.d.fail(format!("{from} cannot be moved: {} is there already", taken.location([])));
                return false;
            }
            taken.detach();
            self.d.finish(parent.n); // a member can be added only where all are listed
        }
        let flags = v.n.flags.get() & !GONE | LOOSE;
        let moved = self.d.add(parent.n, v.n.key.get(), v.n.text.get(), flags);
        moved.first.set(v.n.first.get());
        moved.last.set(v.n.last.get());
        Value { d: self.d, n: moved }.set_key(key);
        let mut next = moved.first.get();
        while let Some(c) = next {
            c.parent.set(Some(moved));
            next = c.next.get();
        }
        touch(parent.n);
        true
    }

    /// Returns the text of a new value, where it lives as long as the object; None if there is something wrong with it.
    fn keep(self, path: &[&str], value: &dyn Json) -> Option<&'a [u8]> {
        let mut result = Ok(());
        let text = self.d.arena.text(|out| result = value.write_json(out));
        match result {
            Ok(()) => Some(text),
            Err(why) => {
                self.d.fail(format!("{} cannot be set: {why}", location(self.d, Some(self.n), path)));
                None
            }
        }
    }

    /// Makes text the value at path.
    fn put(self, path: &[&str], text: &'a [u8]) {
        let Some((key, on_the_way)) = path.split_last() else { return self.replace(text) };
        let Some(parent) = self.make(on_the_way, path) else { return };
        match self.d.find(parent.n, key) {
            Some(n) => Value { d: self.d, n }.replace(text),
            None => {
                parent.insert(key, text);
            }
        }
    }

    fn put_last(self, path: &[&str], text: &'a [u8]) {
        match self.lookup(path) {
            Err(error) => self.d.fail(error),
            Ok(Some(v)) if v.type_of() == Type::Array => {
                self.d.list(v.n);
                self.d.add(v.n, &[], text, CLOSED | LOOSE);
                touch(v.n);
            }
            Ok(Some(v)) if v.type_of() != Type::Null => self.d.fail(v.wrong("an array")),
            Ok(_) => {
                let list = self.d.arena.text(|out| {
                    out.push(b'[');
                    out.extend_from_slice(text);
                    out.push(b']');
                });
                self.put(path, list);
            }
        }
    }

    /// Returns the object at path, made if it is absent or null; None if there is something else on the way. `whole` is the
    /// path of what is to be set, for the message.
    fn make(self, path: &[&str], whole: &[&str]) -> Option<Value<'a>> {
        let mut v = self;
        let mut keys = path.iter();
        loop {
            match v.type_of() {
                Type::Object => {}
                Type::Null => v.replace(b"{}"),
                other => {
                    let (whole, at) = (location(self.d, Some(self.n), whole), v.location([]));
                    self.d.fail(format!("{whole} cannot be set: {at} is {other}, not an object"));
                    return None;
                }
            }
            let Some(key) = keys.next() else { return Some(v) };
            v = match self.d.find(v.n, key) {
                Some(n) => Value { d: self.d, n },
                None => v.insert(key, b"{}"),
            };
        }
    }

    /// Adds a member to this object, all of whose members are listed.
    fn insert(self, key: &str, text: &'a [u8]) -> Value<'a> {
        let c = Value { d: self.d, n: self.d.add(self.n, &[], text, CLOSED | LOOSE) };
        c.set_key(key);
        touch(self.n);
        c
    }

    /// Gives this value another text.
    fn replace(self, text: &'a [u8]) {
        let n = self.n;
        self.d.finish(n);
        let mut next = n.first.get();
        while let Some(c) = next {
            c.mark(GONE); // edits of it must not reach what this value will be
            next = c.next.get();
        }
        n.text.set(text);
        n.first.set(None);
        n.last.set(None);
        n.found.set(None);
        n.flags.set(n.flags.get() & !(ENTERED | EDITED) | LOOSE | CLOSED);
        self.changed();
    }

    fn set_key(self, key: &str) {
        let quoted = self.d.arena.text(|out| text::quote(out, key));
        self.n.key.set(quoted);
        let escaped = if quoted.len() == key.len() + 2 { 0 } else { ESCAPED };
        self.n.flags.set(self.n.flags.get() & !ESCAPED | LOOSE | escaped);
    }

    /// Removes this value from its parent.
    pub(crate) fn detach(self) {
        self.d.finish(self.n);
        self.changed();
        self.n.mark(GONE);
    }

    /// Marks all enclosing values as edited, unless this value was detached from the object.
    fn changed(self) {
        if !self.n.is(GONE) {
            if let Some(parent) = self.n.parent.get() {
                touch(parent);
            }
        }
    }

    /// Returns the value at path, null or not; what is wrong on the way is remembered.
    pub(crate) fn target(self, path: &[&str]) -> Option<Value<'a>> {
        self.lookup(path).unwrap_or_else(|error| {
            self.d.fail(error);
            None
        })
    }
}

/// Marks a value and all enclosing values as edited.
fn touch<'a>(n: &'a Node<'a>) {
    let mut next = Some(n);
    while let Some(n) = next.filter(|n| !n.is(EDITED)) {
        n.mark(EDITED);
        next = if n.is(GONE) { None } else { n.parent.get() };
    }
}

impl<'a> Document<'a> {
    /// The object as a value.
    pub fn value(&'a self) -> Value<'a> {
        Value { d: self, n: self.root }
    }
}
