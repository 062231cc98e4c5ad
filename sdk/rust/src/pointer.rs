//! JSON Pointers (RFC 6901), which name values in the stash (docs/spec/stash.md).

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::edit::Known;
use crate::text::quote;
use crate::value::{Type, Value};

/// Returns the pointer to a value. A list element keeps its original index even if elements before
/// it were removed.
pub(crate) fn pointer_to(v: Value) -> String {
    let Some(parent) = v.n.parent.get() else { return String::new() };
    let mut pointer = pointer_to(Value { d: v.d, n: parent });
    if parent.kind() == b'{' {
        push_token(&mut pointer, v.d.key(v.n));
    } else {
        let before = core::iter::successors(parent.first.get(), |c| c.next.get());
        let index = before.take_while(|c| !core::ptr::eq(*c, v.n)).count();
        push_token(&mut pointer, &index.to_string());
    }
    pointer
}

/// Appends one key to a pointer.
pub(crate) fn push_token(pointer: &mut String, key: &str) {
    pointer.push('/');
    for c in key.chars() {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            c => pointer.push(c),
        }
    }
}

/// Takes the first key off a pointer.
pub(crate) fn cut_token(pointer: &str) -> Option<(Cow<'_, str>, &str)> {
    let inner = pointer.strip_prefix('/')?;
    let (key, rest) = inner.split_at(inner.find('/').unwrap_or(inner.len()));
    if key.contains('~') {
        return Some((key.replace("~1", "/").replace("~0", "~").into(), rest));
    }
    Some((key.into(), rest))
}

/// Reports whether a value at the pointer may be restored.
pub(crate) fn restorable(pointer: &str) -> bool {
    cut_token(pointer).is_some_and(|(first, _)| !["apiVersion", "kind", "metadata"].contains(&&*first))
}

/// Returns the number of an element, if a key may be meant as one.
fn index(key: &str) -> Option<usize> {
    let digits = !key.is_empty() && key.len() <= 9 && key.bytes().all(|c| c.is_ascii_digit());
    if !digits || key.len() > 1 && key.starts_with('0') {
        return None;
    }
    key.parse().ok()
}

impl<'a> Value<'a> {
    /// Returns the member or element with that key.
    pub(crate) fn step(self, key: &str) -> Option<Value<'a>> {
        match self.type_of() {
            Type::Object => self.d.find(self.n, key).map(|n| Value { d: self.d, n }),
            Type::Array => self.elements([]).nth(index(key)?),
            _ => None,
        }
    }

    /// Returns what a pointer leads to from here.
    pub(crate) fn at(self, mut pointer: &str) -> Option<Value<'a>> {
        let mut v = self;
        while !pointer.is_empty() {
            let (key, rest) = cut_token(pointer)?;
            (v, pointer) = (v.step(&key)?, rest);
        }
        Some(v)
    }

    /// Puts JSON where a pointer leads, and says whether that could be done: objects on the way are made, elements of lists
    /// are not.
    pub(crate) fn set_at(self, mut pointer: &str, json: &str) -> bool {
        let mut v = self;
        loop {
            let Some((key, rest)) = cut_token(pointer) else { return false };
            let there = v.step(&key);
            if let Some(there) = there.filter(|there| !rest.is_empty() && there.type_of() != Type::Null) {
                (v, pointer) = (there, rest);
                continue;
            }
            if there.is_none() && v.type_of() != Type::Object {
                return false;
            }
            let Some(value) = nest(rest, json) else { return false };
            match there {
                Some(there) => there.set([], Known(&value)),
                None => {
                    v.d.list(v.n); // a member can be added only where all are listed
                    v.set(&*key, Known(&value));
                }
            }
            return true;
        }
    }
}

/// Makes `{"b":{"c":json}}` for the pointer `/b/c`; None if one of the keys may be meant as the number of an element.
fn nest(pointer: &str, json: &str) -> Option<Vec<u8>> {
    let (mut rest, mut value, mut depth) = (pointer, Vec::new(), 0);
    while !rest.is_empty() {
        let (key, more) = cut_token(rest)?;
        if index(&key).is_some() {
            return None;
        }
        value.push(b'{');
        quote(&mut value, &key);
        value.push(b':');
        (rest, depth) = (more, depth + 1);
    }
    value.extend_from_slice(json.as_bytes());
    value.resize(value.len() + depth, b'}');
    Some(value)
}
