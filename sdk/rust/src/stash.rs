//! What a conversion keeps for the way back, in one annotation: docs/spec/stash.md is the format.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::Cell;

use crate::arena::Arena;
use crate::document::Document;
use crate::hash::{hash, hash_members, Fnv};
use crate::keyed::separate;
use crate::object::Object;
use crate::path::Path;
use crate::pointer::{cut_token, pointer_to, push_token, restorable};
use crate::text::quote;
use crate::value::{Type, Value};

/// The longest text of a stash's annotation, in bytes: half of what Kubernetes allows all annotations of an object together
/// (256 KiB), as kubectl's last-applied configuration needs room too.
const LONGEST: usize = 128 << 10;

/// What the status is taken for.
const STATUS_ONLY: &str = r#"["/status"]"#;

/// What one conversion keeps for the way back, and what it puts back of what the last one kept.
pub(crate) struct Stash<'a> {
    /// The apiVersions of the conversion.
    pub from: &'a str,
    pub to: &'a str,
    kept: List<'a, Kept<'a>>,
    /// `Object::restore` was called.
    pub restoring: Cell<bool>,
    /// The parcels that it found fresh.
    pub fresh: List<'a, Value<'a>>,
}

#[derive(Clone, Copy)]
struct Kept<'a> {
    /// What it was taken for: a JSON list of pointers; None = everything but metadata and status.
    taken: Option<&'a str>,
    pointer: &'a str,
    /// None: the conversion back puts in a value that was not there.
    value: Option<&'a str>,
}

/// A list in an arena.
pub(crate) struct List<'a, T> {
    first: Cell<Option<&'a Link<'a, T>>>,
    last: Cell<Option<&'a Link<'a, T>>>,
}

struct Link<'a, T> {
    value: T,
    next: Cell<Option<&'a Link<'a, T>>>,
}

impl<'a, T: Copy> List<'a, T> {
    fn new() -> Self {
        List { first: Cell::new(None), last: Cell::new(None) }
    }

    pub fn push(&self, arena: &'a Arena, value: T) {
        let link = arena.put(Link { value, next: Cell::new(None) });
        match self.last.replace(Some(link)) {
            Some(last) => last.next.set(Some(link)),
            None => self.first.set(Some(link)),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = T> + use<'a, T> {
        core::iter::successors(self.first.get(), |link| link.next.get()).map(|link| link.value)
    }
}

impl Value<'_> {
    /// Removes the value at path from the object and keeps it in an annotation, for a version that has no field for it. The
    /// conversion back restores it if that begins with [`Object::restore`] and only metadata and status changed in between. A value
    /// below `.status` is restored if the status did not change. Reports whether the value was present.
    ///
    /// Call it before you rename or move an object that contains the value: it records the current path. A fragment without
    /// metadata cannot hold a stash, and the value is dropped. An object is refused if its stash exceeds 128 KiB.
    pub fn stash(self, path: impl Path) -> bool {
        self.take_away(path.keys(), None)
    }

    /// Does as [`stash`](Value::stash), for a value that depends on a part of the object only: the value is restored if the values
    /// at the paths `unchanged` have not changed in the other version. Without such paths it is always restored, which suits a
    /// field that the other version does not know. An index names a list element: `["spec", "hosts", "0"]`.
    pub fn stash_for(self, path: impl Path, unchanged: &[&[&str]]) -> bool {
        let mut list = Vec::from(*b"[");
        for path in unchanged {
            separate(&mut list);
            let mut pointer = String::new();
            path.iter().for_each(|key| push_token(&mut pointer, key));
            quote(&mut list, &pointer);
        }
        list.push(b']');
        self.take_away(path.keys(), Some(&list))
    }

    fn take_away(self, path: &[&str], taken: Option<&[u8]>) -> bool {
        let Some(v) = self.target(path) else { return false };
        let pointer = pointer_to(v);
        if !restorable(&pointer) {
            let at = v.location([]);
            self.d.fail(format!("{at} cannot be stashed: only what is beside apiVersion, kind and metadata can"));
            return false;
        }
        if v.n.parent.get().is_some_and(|parent| parent.kind() != b'{') {
            let at = v.location([]);
            self.d.fail(format!("{at} cannot be stashed: it is an element of a list, which can be stashed as a whole"));
            return false;
        }
        if let Some(stash) = Stash::of(self.d) {
            let taken = taken.map(|list| self.d.utf8(self.d.arena.copy(list)));
            stash.keep(self.d.arena, taken, &pointer, Some(v.json()));
        }
        v.detach();
        true
    }
}

impl<'a> Stash<'a> {
    /// Returns the stash of the conversion that is going on; None outside of one.
    pub fn of(d: &'a Document<'a>) -> Option<&'a Self> {
        let (from, to) = d.conversion.get()?;
        d.stash.get().or_else(|| {
            let empty = Stash { from, to, kept: List::new(), restoring: Cell::new(false), fresh: List::new() };
            d.stash.set(Some(d.arena.put(empty)));
            d.stash.get()
        })
    }

    /// Keeps a value, or notes that there was none; `taken` None means the default for its place.
    pub fn keep(&self, arena: &'a Arena, taken: Option<&'a str>, pointer: &str, value: Option<&'a str>) {
        let status = cut_token(pointer).is_some_and(|(first, _)| first == "status");
        let taken = taken.or(status.then_some(STATUS_ONLY));
        let pointer = arena.copy(pointer.as_bytes());
        let pointer = core::str::from_utf8(pointer).unwrap_or_default();
        self.kept.push(arena, Kept { taken, pointer, value });
    }

    /// Restores what is fresh, and writes the stash, after a converter. It does so even if the converter has kept nothing: a layer left
    /// over of the version that the object comes from would be restored later.
    pub fn finish(o: Object<'a>) {
        if o.d.stash.get().is_none() && o.get(["metadata", "annotations"]).is_none() {
            return;
        }
        if let Some(stash) = Stash::of(o.d) {
            stash.put_back(o);
            stash.write(o);
        }
    }

    fn write(&self, o: Object<'a>) {
        let (key, nothing) = (key(self.to), self.kept.iter().next().is_none());
        let old = o.annotation(&key);
        let shown =
            o.d.shown(&["metadata.annotations", &format!("metadata.annotations['{key}']"), &format!("metadata.annotations[\"{key}\"]")]);
        if o.d.error.get().is_some() || nothing && !self.restoring.get() && !(shown && old.is_some()) {
            return;
        }
        if !shown {
            o.d.fail(format!(
                "the module declares fields, and keeps a stash: it has to declare metadata.annotations['{key}'] too (fields in module!)"
            ));
        }
        if o.get("metadata").is_none_or(|metadata| metadata.type_of() != Type::Object) {
            return;
        }
        let mut text = Vec::from(*b"{");
        if let Some(layers) = old.and_then(|text| layers(o, text)) {
            let others = layers.members([]).filter(|(version, _)| *version != bare(self.from) && *version != bare(self.to));
            for (version, layer) in others {
                separate(&mut text);
                quote(&mut text, version);
                text.push(b':');
                text.extend_from_slice(layer.json().as_bytes());
            }
        }
        if !nothing {
            separate(&mut text);
            quote(&mut text, bare(self.from));
            text.extend_from_slice(br#":{"in":"#);
            quote(&mut text, bare(self.to));
            text.extend_from_slice(br#","kept":["#);
            self.write_parcels(&mut text, o);
            text.extend_from_slice(b"]}");
        }
        text.push(b'}');
        if text.len() > LONGEST {
            let (version, need) = (bare(self.to), text.len());
            o.d.fail(format!(
                "{version} cannot hold this object: what it has no place for needs {need} bytes in the annotation {key}, which may have {LONGEST}"
            ));
        } else if text.len() > "{}".len() {
            o.set_annotation(&key, &String::from_utf8(text).unwrap_or_default());
        } else {
            o.remove_annotation(&key);
        }
    }

    /// Appends what was kept, what was taken for the same in one parcel, with its hash in the converted object.
    fn write_parcels(&self, out: &mut Vec<u8>, converted: Object<'a>) {
        let mut written: Vec<Option<&str>> = Vec::new();
        for Kept { taken, .. } in self.kept.iter() {
            if written.contains(&taken) {
                continue;
            }
            written.push(taken);
            separate(out);
            out.push(b'{');
            if let Some(taken) = taken {
                out.extend_from_slice(br#""for":"#);
                out.extend_from_slice(taken.as_bytes());
                out.push(b',');
            }
            let hash = hash_for(converted, taken).unwrap_or_default();
            out.extend_from_slice(format!(r#""hash":"{hash:016x}""#).as_bytes());
            let kept = || self.kept.iter().filter(|kept| kept.taken == taken);
            for (i, (pointer, value)) in kept().filter_map(|kept| Some((kept.pointer, kept.value?))).enumerate() {
                out.extend_from_slice(if i == 0 { br#","set":{"# } else { b"," });
                quote(out, pointer);
                out.push(b':');
                out.extend_from_slice(value.as_bytes());
            }
            if kept().any(|kept| kept.value.is_some()) {
                out.push(b'}');
            }
            for (i, gone) in kept().filter(|kept| kept.value.is_none()).enumerate() {
                out.extend_from_slice(if i == 0 { br#","gone":["# } else { b"," });
                quote(out, gone.pointer);
            }
            if kept().any(|kept| kept.value.is_none()) {
                out.push(b']');
            }
            out.push(b'}');
        }
    }
}

/// Returns the hash of what a parcel is taken for; None if that is no list of pointers.
pub(crate) fn hash_for<'a>(o: Object<'a>, taken: Option<&str>) -> Option<u64> {
    let Some(taken) = taken else {
        let counts = |key: &str| !["apiVersion", "kind", "metadata", "status"].contains(&key);
        return (o.type_of() == Type::Object).then(|| hash_members(*o, counts));
    };
    let list = o.parse(taken).filter(|list| list.type_of() == Type::Array)?;
    let mut h = Fnv::new(b'a');
    for element in list.elements([]) {
        let pointer = element.str([]).ok()??;
        cut_token(pointer)?;
        h = h.word(hash(o.at(pointer)));
    }
    Some(h.sum())
}

/// Returns the annotation for the group of an apiVersion.
pub(crate) fn key(api_version: &str) -> String {
    format!("conversion.{}/stash", api_version.rsplit_once('/').map_or("", |(group, _)| group))
}

/// Returns "v1" of "example.com/v1".
pub(crate) fn bare(api_version: &str) -> &str {
    api_version.rsplit_once('/').map_or(api_version, |(_, version)| version)
}

/// Returns the layers in the text of a stash's annotation; None if it has none.
pub(crate) fn layers<'a>(o: Object<'a>, text: &str) -> Option<Object<'a>> {
    o.parse(text).filter(|layers| layers.type_of() == Type::Object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::valid;

    const VECTORS: &str = include_str!("../../../plugins/testdata/stash.json");

    #[test]
    fn shared_vectors() {
        let arena = Arena::new();
        let vectors = Document::open(&arena, valid::json(VECTORS).unwrap().as_bytes()).value();
        let o = Object::new(Document::open(&arena, b"{}"));
        let open = |v: Value| Object::new(Document::open(&arena, arena.copy(v.str("json").unwrap().unwrap().as_bytes())));
        let mut count = 0;
        for vector in vectors.elements("hash") {
            count += 1;
            let got = hash(Some(*open(vector)));
            assert_eq!(format!("{got:016x}"), vector.str("hash").unwrap().unwrap(), "{}", vector.json());
        }
        for vector in vectors.elements("for") {
            for want in vector.elements("hashes") {
                count += 1;
                let got = hash_for(open(vector), want.get("for").map(|taken| taken.json()));
                assert_eq!(got.map(|got| format!("{got:016x}")).as_deref(), want.str("hash").unwrap(), "{}", want.json());
            }
        }
        for vector in vectors.elements("pointer") {
            count += 1;
            let mut pointer = String::new();
            vector.elements("keys").for_each(|key| push_token(&mut pointer, key.str([]).unwrap().unwrap()));
            assert_eq!(Some(&*pointer), vector.str("pointer").unwrap());
            let mut rest = &*pointer;
            for key in vector.elements("keys") {
                let (got, more) = cut_token(rest).unwrap();
                assert_eq!(Some(&*got), key.str([]).unwrap());
                rest = more;
            }
            assert_eq!(rest, "");
        }
        assert!(count > 50 && o.d.error.get().is_none(), "{count} vectors");
    }
}
