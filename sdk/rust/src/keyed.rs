//! Lists of objects by a key, and maps.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec::Vec;

use crate::edit::Known;
use crate::object::quoted;
use crate::path::Path;
use crate::text::quote;
use crate::value::{Type, Value};

impl<'a> Value<'a> {
    /// Turns the map at path into a list in the same order: with the key `name`, `{"web":{"port":80}}` becomes
    /// `[{"name":"web","port":80}]`. If `value` names a member, `{"a":1}` becomes `[{"name":"a","value":1}]`; if it is `None`, the
    /// map's values must be objects without a member called `key`. Reports whether the map was present.
    pub fn list_from_map(self, path: impl Path, key: &str, value: Option<&str>) -> bool {
        let Some(map) = self.container(path.keys(), Type::Object, "an object") else { return false };
        let mut list = Vec::from(*b"[");
        for (_, v) in map.members([]) {
            separate(&mut list);
            list.push(b'{');
            quote(&mut list, key);
            list.push(b':');
            list.extend_from_slice(v.n.key.get());
            if let Some(value) = value {
                member(&mut list, value, v);
                list.push(b'}');
                continue;
            }
            if v.type_of() != Type::Object {
                self.d.fail(v.wrong("an object"));
                return false;
            }
            if self.d.find(v.n, key).is_some() {
                self.d.fail(format!("{} must not be there: it is where the key of a list element goes", v.location(key)));
                return false;
            }
            let members = v.json()[1..].trim_start_matches([' ', '\t', '\n', '\r']);
            if !members.starts_with('}') {
                list.push(b',');
            }
            list.extend_from_slice(members.as_bytes());
        }
        list.push(b']');
        self.set(path, Known(&list));
        true
    }

    /// The inverse of [`list_from_map`](Value::list_from_map): turns the list at path into a map, keyed by the elements' member
    /// `key`, which it removes from them. If `value` names a member, elements must have exactly the members `key` and `value`. An
    /// element without the key or the value, or with the key of another element, refuses the object. Reports whether the list was
    /// present.
    pub fn map_from_list(self, path: impl Path, key: &str, value: Option<&str>) -> bool {
        let Some(list) = self.container(path.keys(), Type::Array, "an array") else { return false };
        let mut seen = BTreeSet::new();
        let mut map = Vec::from(*b"{");
        for element in list.elements([]) {
            if element.type_of() != Type::Object {
                self.d.fail(element.wrong("an object"));
                return false;
            }
            let Some(name) = element.text(&[key]) else {
                self.d.fail(format!("{} must be there: it becomes the key of a map", element.location(key)));
                return false;
            };
            if !seen.insert(name) {
                let at = element.location(key);
                self.d.fail(format!("{at} must be there once only, but {} is there twice", quoted(name)));
                return false;
            }
            separate(&mut map);
            quote(&mut map, name);
            map.push(b':');
            let done = match value {
                Some(value) => element.entry(key, value, &mut map),
                None => element.body(key, &mut map),
            };
            if !done {
                return false;
            }
        }
        map.push(b'}');
        self.set(path, Known(&map));
        true
    }

    /// Appends this list element without its key.
    fn body(self, key: &str, map: &mut Vec<u8>) -> bool {
        map.push(b'{');
        for (name, v) in self.members([]).filter(|(name, _)| *name != key) {
            let _ = name;
            separate(map);
            map.extend_from_slice(v.n.key.get());
            map.push(b':');
            map.extend_from_slice(v.json().as_bytes());
        }
        map.push(b'}');
        true
    }

    /// Appends the value of this list element, which has nothing but a key and a value.
    fn entry(self, key: &str, value: &str, map: &mut Vec<u8>) -> bool {
        for (name, v) in self.members([]) {
            if name != key && name != value {
                self.d.fail(format!("{} has no place in a map from {key} to {value}", v.location([])));
                return false;
            }
        }
        let Some(raw) = self.raw(value) else {
            self.d.fail(format!("{} must be there: it becomes the value in a map", self.location(value)));
            return false;
        };
        map.extend_from_slice(raw.as_bytes());
        true
    }
}

/// Appends a comma unless this is the first.
pub(crate) fn separate(out: &mut Vec<u8>) {
    if !matches!(out.last(), Some(b'{' | b'[')) {
        out.push(b',');
    }
}

/// Appends `,"key":value`.
fn member(out: &mut Vec<u8>, key: &str, value: Value) {
    out.push(b',');
    quote(out, key);
    out.push(b':');
    out.extend_from_slice(value.json().as_bytes());
}
