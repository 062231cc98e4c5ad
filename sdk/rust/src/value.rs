use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::document::{Document, Node, EDITED};
use crate::error::{Error, Result};
use crate::path::{location, Path};
use crate::render::render;

/// One value within an object, or the object itself.
///
/// Its methods take a [`Path`]: the keys that lead from this value to another one. The value at a
/// path is
///
/// - *absent* if a member on the path is missing or null. This is not an error: readers return
///   `None`; `rename`, `move_to` and `remove` do nothing.
/// - *wrong* if it has another type than the method expects, or if a value on the path is not an
///   object. Readers return an error that names the path and both types; edits and iterators record
///   the error, and the object is refused with it.
///
/// A value that was removed, replaced or moved can still be read; editing it has no effect on the
/// object.
#[derive(Clone, Copy)]
pub struct Value<'a> {
    pub(crate) d: &'a Document<'a>,
    pub(crate) n: &'a Node<'a>,
}

/// The JSON type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // the types of JSON
pub enum Type {
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
    /// The text is not JSON here.
    Invalid,
}

impl fmt::Display for Type {
    /// Writes the type with its article, as messages need it.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Type::Null => "null",
            Type::Bool => "a boolean",
            Type::Number => "a number",
            Type::String => "a string",
            Type::Array => "an array",
            Type::Object => "an object",
            Type::Invalid => "nothing",
        })
    }
}

impl<'a> Value<'a> {
    /// Returns the value at path; `None` if it is absent or null, or if a value on the path is not
    /// an object.
    pub fn get(self, path: impl Path) -> Option<Value<'a>> {
        let v = self.lookup(path.keys()).ok()??;
        (v.type_of() != Type::Null).then_some(v)
    }

    /// Returns the type of this value.
    pub fn type_of(self) -> Type {
        match self.n.kind() {
            b'{' => Type::Object,
            b'[' => Type::Array,
            b'"' => Type::String,
            b't' | b'f' => Type::Bool,
            b'n' => Type::Null,
            b'-' | b'0'..=b'9' => Type::Number,
            _ => Type::Invalid,
        }
    }

    /// Returns the string at path, unescaped.
    pub fn str(self, path: impl Path) -> Result<Option<&'a str>> {
        let Some(v) = self.read(path.keys(), Type::String, "a string")? else { return Ok(None) };
        let text = v.bytes();
        Ok(text.get(1..text.len().saturating_sub(1)).map(|inner| self.d.plain(inner)))
    }

    /// Returns the integer at path. A number with a fraction or an exponent, or beyond 64 bits, is wrong.
    pub fn int(self, path: impl Path) -> Result<Option<i64>> {
        let Some(v) = self.read(path.keys(), Type::Number, "an integer")? else { return Ok(None) };
        let text = v.json();
        match text.parse() {
            Ok(i) => Ok(Some(i)),
            Err(_) => Err(alloc::format!("{} must be an integer of 64 bits, but is {text}", v.location([])).into()),
        }
    }

    /// Returns the boolean at path.
    pub fn bool(self, path: impl Path) -> Result<Option<bool>> {
        let v = self.read(path.keys(), Type::Bool, "a boolean")?;
        Ok(v.map(|v| v.n.kind() == b't'))
    }

    /// Returns the JSON text of the value at path, null included, with the edits made in it; `None` if it is absent.
    pub fn raw(self, path: impl Path) -> Option<&'a str> {
        self.lookup(path.keys()).ok()?.map(Value::json)
    }

    /// Iterates over the members of the object at path, in their order. The loop may edit, rename
    /// and remove the current one.
    pub fn members(self, path: impl Path) -> impl Iterator<Item = (&'a str, Value<'a>)> {
        let d = self.d;
        self.children(path.keys(), Type::Object, "an object").map(move |v| (d.key(v.n), v))
    }

    /// Iterates over the elements of the array at path. The loop may edit and remove the current
    /// one.
    pub fn elements(self, path: impl Path) -> impl Iterator<Item = Value<'a>> {
        self.children(path.keys(), Type::Array, "an array")
    }

    /// Returns the location of the value at path, as messages name it: `.spec.containers[0].image`.
    pub fn location(self, path: impl Path) -> String {
        location(self.d, Some(self.n), path.keys())
    }

    /// The JSON text of this value.
    pub(crate) fn json(self) -> &'a str {
        self.d.utf8(self.bytes())
    }

    fn bytes(self) -> &'a [u8] {
        self.d.finish(self.n);
        if !self.n.is(EDITED) {
            return self.n.text.get();
        }
        let mut out = Vec::new();
        render(self.d, self.n, &mut out);
        self.d.arena.copy(&out)
    }

    /// Returns the value at path, null or not. An error says that something on the way is no object.
    pub(crate) fn lookup(self, path: &[&str]) -> Result<Option<Value<'a>>> {
        let mut n = self.n;
        for key in path {
            match self.d.find(n, key) {
                Some(c) => n = c,
                None => {
                    return match (Value { d: self.d, n }) {
                        v if matches!(v.type_of(), Type::Object | Type::Null) => Ok(None),
                        v => Err(v.wrong("an object")),
                    }
                }
            }
        }
        Ok(Some(Value { d: self.d, n }))
    }

    /// Returns the value at path if it is there and of the type wanted.
    fn read(self, path: &[&str], want: Type, words: &str) -> Result<Option<Value<'a>>> {
        match self.lookup(path)? {
            Some(v) if v.type_of() == want => Ok(Some(v)),
            Some(v) if v.type_of() != Type::Null => Err(v.wrong(words)),
            _ => Ok(None),
        }
    }

    /// Iterates over the children of the value at path, if it is of the type wanted; what is wrong is remembered.
    fn children(self, path: &[&str], want: Type, words: &str) -> impl Iterator<Item = Value<'a>> {
        let container = self.container(path, want, words);
        let mut last = None;
        core::iter::from_fn(move || {
            let v = container?;
            last = Some(v.d.after(v.n, last)?);
            last.map(|n| Value { d: v.d, n })
        })
    }

    /// Returns the value at path, if it is of the type wanted; what is wrong is remembered.
    pub(crate) fn container(self, path: &[&str], want: Type, words: &str) -> Option<Value<'a>> {
        self.read(path, want, words).unwrap_or_else(|error| {
            self.d.fail(error);
            None
        })
    }

    pub(crate) fn wrong(self, want: &str) -> Error {
        alloc::format!("{} must be {want}, but is {}", self.location([]), self.type_of()).into()
    }
}
