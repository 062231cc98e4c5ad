//! Keeps the fields that the other version lacks.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::document::Document;
use crate::hash::hash;
use crate::module::Converter;
use crate::object::Object;
use crate::pointer::{push_token, restorable};
use crate::render::render;
use crate::served;
use crate::stash::{bare, Stash};
use crate::value::{Type, Value};
use crate::{log, Level, Result};

/// Converts with `convert` and keeps the fields that the target version lacks: it converts the
/// result back with `back`, from the text that an API server sends for it, and stashes every
/// difference from the original object. It begins with [`Object::restore`]. The converter of the other direction must be lossless, too, or begin with
/// `restore`:
///
/// ```ignore
/// fn v1_to_beta(o: &Object) -> Result { crosswalk::lossless(o, to_beta, to_v1) }
/// fn beta_to_v1(o: &Object) -> Result { crosswalk::lossless(o, to_v1, to_beta) }
/// ```
///
/// It costs a conversion back and a comparison for every object, and the stashed values are dropped
/// if a client changes more than metadata and status in the target version. [`Value::stash_for`] is
/// faster and can keep more; do not use both. If `back` refuses the result, nothing is stashed: the
/// target version could not be written back anyway.
pub fn lossless(o: &Object, convert: Converter, back: Converter) -> Result {
    o.restore();
    convert(o)?;
    let Some(stash) = o.d.stash.get().filter(|_| o.d.error.get().is_none()) else { return Ok(()) };
    stash.put_back(*o);
    o.set("apiVersion", stash.to);
    if o.d.error.get().is_some() {
        return Ok(());
    }
    let (mut text, mut sent) = (Vec::new(), Vec::new());
    render(o.d, o.d.root, &mut text);
    served::value(Document::open(o.d.arena, &text).value(), &mut sent);
    let again = Document::open(o.d.arena, o.d.arena.copy(&sent));
    if back(&Object::new(again)).is_err() || again.error.get().is_some() {
        let (title, from) = (o.title(), bare(stash.from));
        log(Level::Warn, &format!("{title} cannot be converted back to {from}, so nothing was kept for it"));
        return Ok(());
    }
    let was = Document::open(o.d.arena, o.d.text).value();
    stash.keep_members(String::new(), was, again.value());
    Ok(())
}

impl<'a> Stash<'a> {
    /// Stashes the differences between the members of two objects.
    fn keep_members(&self, pointer: String, was: Value<'a>, again: Value<'a>) {
        let below = |key: &str| {
            let mut pointer = pointer.clone();
            push_token(&mut pointer, key);
            pointer
        };
        for (key, a) in was.members([]) {
            let pointer = below(key);
            if restorable(&pointer) {
                self.keep_difference(pointer, a, again.step(key));
            }
        }
        for (key, b) in again.members([]) {
            let pointer = below(key);
            if b.type_of() != Type::Null && was.step(key).is_none() && restorable(&pointer) {
                self.keep(b.d.arena, None, &pointer, None); // invented by the conversion back
            }
        }
    }

    /// Keeps what is at `a` and not, or otherwise, at `b`.
    fn keep_difference(&self, pointer: String, a: Value<'a>, b: Option<Value<'a>>) {
        let arena = a.d.arena;
        let Some(b) = b.filter(|b| b.type_of() != Type::Null) else {
            if a.type_of() != Type::Null {
                self.keep(arena, None, &pointer, Some(a.json()));
            }
            return;
        };
        if a.json() == b.json() {
            return;
        }
        match (a.type_of(), b.type_of()) {
            (Type::Object, Type::Object) => self.keep_members(pointer, a, b),
            (Type::Array, Type::Array) if a.elements([]).count() == b.elements([]).count() => {
                for (i, (x, y)) in a.elements([]).zip(b.elements([])).enumerate() {
                    self.keep_difference(format!("{pointer}/{i}"), x, Some(y));
                }
            }
            _ if hash(Some(a)) != hash(Some(b)) => self.keep(arena, None, &pointer, Some(a.json())),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::String;

    use crate::{lossless, Object, Result};

    crate::module! {
        name: "lossless",
        version: "1.0.0",
        conversions: [
            to_old: "e.g/new" => "e.g/old",
            to_new: "e.g/old" => "e.g/new",
        ],
    }

    fn to_old(o: &Object) -> Result {
        lossless(o, down, up)
    }

    fn to_new(o: &Object) -> Result {
        lossless(o, up, down)
    }

    fn down(o: &Object) -> Result {
        o.rename(["spec", "replicas"], "size");
        for host in o.elements(["spec", "hosts"]) {
            host.remove("port");
        }
        o.remove(["spec", "tls"]);
        o.remove("top");
        for host in o.elements(["spec", "short"]).skip(1) {
            host.remove([]);
        }
        Ok(())
    }

    fn up(o: &Object) -> Result {
        o.rename(["spec", "size"], "replicas");
        if o.get(["spec", "policy"]).is_none() {
            o.set(["spec", "policy"], "invented");
        }
        Ok(())
    }

    fn object(version: &str, rest: &str) -> String {
        format!(r#"{{"apiVersion":"e.g/{version}",{}"#, &rest[1..])
    }

    #[test]
    fn there_and_back() {
        for (new, old, kept) in [
            (r#"{"metadata":{},"spec":{"policy":"p"}}"#, r#"{"metadata":{},"spec":{"policy":"p"}}"#, ""),
            (
                r#"{"metadata":{},"spec":{"policy":"p","hosts":[{"n":1,"port":2},{"n":3}],"tls":{"a":1}},"top":1.50}"#,
                r#"{"metadata":{},"spec":{"policy":"p","hosts":[{"n":1},{"n":3}]}}"#,
                r#""set":{"/spec/hosts/0/port":2,"/spec/tls":{"a":1},"/top":1.50}"#,
            ),
            (
                r#"{"metadata":{},"spec":{"policy":"p","short":[1,2]}}"#,
                r#"{"metadata":{},"spec":{"policy":"p","short":[1]}}"#,
                r#""set":{"/spec/short":[1,2]}"#,
            ),
            (r#"{"metadata":{},"spec":{"replicas":1}}"#, r#"{"metadata":{},"spec":{"size":1}}"#, r#""gone":["/spec/policy"]"#),
            (r#"{"metadata":{}}"#, r#"{"metadata":{}}"#, r#""gone":["/spec"]"#),
        ] {
            let (new, old) = (object("new", new), object("old", old));
            let converted = MODULE.convert(&new, "e.g/old").unwrap();
            let annotation = "\"conversion.e.g/stash\":";
            assert_eq!(converted.contains(annotation), !kept.is_empty(), "{converted}");
            assert!(converted.contains(&kept.replace('"', "\\\"")), "{converted} should keep {kept}");
            if kept.is_empty() {
                assert_eq!(converted, old);
            }
            let again = MODULE.convert(&converted, "e.g/new").unwrap();
            assert_eq!(again.len(), new.len(), "{new} came back as {again}"); // members may have other places
        }
        let fragment = object("new", r#"{"spec":{"tls":1}}"#);
        assert_eq!(MODULE.convert(&fragment, "e.g/old").unwrap(), object("old", r#"{"spec":{}}"#));
    }
}
