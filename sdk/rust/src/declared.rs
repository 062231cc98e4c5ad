//! Declared fields in tests: what a module sees of an object, and whether it makes of that what it makes of the whole.

use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use crate::arena::Arena;
use crate::document::Document;
use crate::error::Result;
use crate::module::Module;
use crate::text::quote;
use crate::value::{Type, Value};

/// Says how what becomes of an object of which only the declared fields are shown differs from what becomes of the whole, which is given.
pub(crate) fn undeclared(module: &Module, object: Value, desired: &str, whole: &Result<String>) -> Option<&'static str> {
    let from = object.str("apiVersion").ok().flatten().unwrap_or_default();
    if module.fields.is_empty() || from == desired {
        return None;
    }
    // Hashes in a stash are those of what the converter saw: one that was kept of a part is stale for the whole, and the other way round.
    if object.get(["metadata", "annotations"]).is_some_and(|map| map.members([]).any(|(key, _)| is_stash(key))) {
        return None;
    }
    let mut paths = Vec::from(["apiVersion", "kind"]);
    for (_, declared) in module.fields.iter().filter(|(version, _)| *version == from || *version == desired) {
        paths.extend_from_slice(declared);
    }
    let answer = module.convert(&part_of(object, &paths, true), desired);
    let (whole, answer) = match (whole, &answer) {
        (Ok(whole), Ok(answer)) => (whole, answer),
        (Err(whole), Err(answer)) => {
            return (whole.to_string() != answer.to_string())
                .then_some("is refused with other words when its declared fields alone are shown");
        }
        (Ok(_), Err(_)) => return Some("is refused when its declared fields alone are shown"),
        (Err(_), Ok(_)) => return Some("is refused only when all of it is shown"),
    };
    let arena = Arena::new();
    let (whole, answer) = (open(&arena, whole), open(&arena, answer));
    if !empty(open(&arena, &part_of(answer, &paths, false))) {
        return Some("has a field written that is not declared");
    }
    let alike_in = |a: Value, b: Value, declared| {
        alike(open(&arena, &part_of(a, &paths, declared)), open(&arena, &part_of(b, &paths, declared)))
    };
    if !alike_in(answer, whole, true) {
        return Some("has a field read that is not declared");
    }
    (!alike_in(object, whole, false)).then_some("has a field changed that is not declared")
}

fn open<'a>(arena: &'a Arena, text: &str) -> Value<'a> {
    Document::open(arena, arena.copy(text.as_bytes())).value()
}

fn part_of(v: Value, paths: &[&str], declared: bool) -> String {
    let mut out = Vec::new();
    part(&mut out, v, paths, declared);
    String::from_utf8(out).unwrap_or_default()
}

/// Appends what is declared of a value, as the gateway shows it; or all else.
fn part(out: &mut Vec<u8>, v: Value, paths: &[&str], declared: bool) {
    let whole = paths.contains(&"");
    let elements: Vec<&str> = paths.iter().filter_map(|p| p.strip_prefix("[]")).collect();
    match v.type_of() {
        Type::Object if !whole && elements.len() < paths.len() => {
            out.push(b'{');
            for (key, member) in v.members([]) {
                let rest: Vec<&str> = paths.iter().filter_map(|p| step(p, key)).collect();
                if declared && rest.is_empty() {
                    continue;
                }
                separate(out, b'{');
                quote(out, key);
                out.push(b':');
                part(out, member, &rest, declared);
            }
            out.push(b'}');
        }
        Type::Array if !whole && !elements.is_empty() => {
            out.push(b'[');
            for element in v.elements([]) {
                separate(out, b'[');
                part(out, element, &elements, declared);
            }
            out.push(b']');
        }
        _ if whole == declared => out.extend_from_slice(v.json().as_bytes()),
        _ if whole => out.extend_from_slice(b"null"),
        Type::Object => out.extend_from_slice(b"{}"), // an empty value of the type
        Type::Array => out.extend_from_slice(b"[]"),
        Type::String => out.extend_from_slice(b"\"\""),
        Type::Number => out.push(b'0'),
        Type::Bool => out.extend_from_slice(b"false"),
        Type::Null | Type::Invalid => out.extend_from_slice(b"null"),
    }
}

fn separate(out: &mut Vec<u8>, open: u8) {
    if out.last() != Some(&open) {
        out.push(b',');
    }
}

/// Takes one step off a path if it leads to the member, and returns the rest.
fn step<'a>(path: &'a str, key: &str) -> Option<&'a str> {
    if let Some(rest) = path.strip_prefix(".*") {
        return Some(rest);
    }
    let plain = path.strip_prefix('.').unwrap_or(path);
    if !path.starts_with('[') {
        let end = plain.find(['.', '[']).unwrap_or(plain.len());
        return (&plain[..end] == key).then(|| &plain[end..]);
    }
    let quoted = path.strip_prefix('[')?;
    let mark = quoted.chars().next().filter(|c| *c == '\'' || *c == '"')?;
    let mut name = String::new();
    let mut chars = quoted[1..].char_indices();
    while let Some((at, c)) = chars.next() {
        if c == mark {
            return (name == key).then(|| quoted[1 + at..].strip_prefix(&format!("{mark}]"))).flatten();
        }
        name.push(if c == '\\' { chars.next()?.1 } else { c });
    }
    None
}

fn is_stash(key: &str) -> bool {
    key.starts_with("conversion.") && key.ends_with("/stash")
}

/// Says that there is nothing in a value: null, or an object in which there is nothing but a stash.
fn empty(v: Value) -> bool {
    match v.type_of() {
        Type::Object => v.members([]).all(|(key, member)| is_stash(key) || empty(member)),
        kind => kind == Type::Null,
    }
}

/// Compares values; what is empty may be left out.
fn alike(a: Value, b: Value) -> bool {
    if empty(a) || empty(b) {
        return empty(a) && empty(b);
    }
    match (a.type_of(), b.type_of()) {
        (Type::Object, Type::Object) => {
            let within = |x: Value, y: Value| {
                x.members([]).all(|(key, v)| is_stash(key) || empty(v) || y.lookup(&[key]).ok().flatten().is_some_and(|other| alike(v, other)))
            };
            within(a, b) && within(b, a)
        }
        (Type::Array, Type::Array) => {
            a.elements([]).count() == b.elements([]).count() && a.elements([]).zip(b.elements([])).all(|(v, w)| alike(v, w))
        }
        (Type::String, Type::String) => a.str([]) == b.str([]),
        (x, y) => x == y && a.json() == b.json(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Conversion, Object};

    fn run(o: &Object) -> Result {
        match o.str("kind")? {
            Some("Renames") => {
                o.rename("a", "b");
            }
            Some("Reads") if o.get("c").is_some() => {
                o.set("b", true);
            }
            Some("Writes") => {
                o.set("c", true);
            }
            Some("Changes") => {
                o.remove("c");
            }
            Some("Refuses") if o.get("c").is_some() => crate::refuse!("there is a c"),
            Some("Insists") if o.get("c").is_none() => crate::refuse!("there is no c"),
            Some("Asks") => crate::refuse!("there is a c: {}", o.get("c").is_some()),
            _ => {}
        }
        Ok(())
    }

    static MODULE: Module = Module {
        name: "declared",
        version: "1",
        licence: "",
        source: "",
        conversions: &[Conversion { from: "g/v1", to: "g/v2", convert: run }],
        fields: &[("g/v1", &["a", "metadata.name"]), ("g/v2", &["b"])],
    };

    #[test]
    fn what_is_not_declared() {
        for (kind, want) in [
            ("Renames", None),
            ("Reads", Some("has a field read that is not declared")),
            ("Writes", Some("has a field written that is not declared")),
            ("Changes", Some("has a field changed that is not declared")),
            ("Refuses", Some("is refused only when all of it is shown")),
            ("Insists", Some("is refused when its declared fields alone are shown")),
            ("Asks", Some("is refused with other words when its declared fields alone are shown")),
        ] {
            let object = format!(r#"{{"apiVersion":"g/v1","kind":"{kind}","a":[1],"c":1}}"#);
            let arena = Arena::new();
            let o = Document::open(&arena, object.as_bytes()).value();
            assert_eq!(undeclared(&MODULE, o, "g/v2", &MODULE.convert(&object, "g/v2")), want, "{kind}");
        }
    }

    /// What helpers need is declared too, or the object refused.
    #[test]
    fn what_is_needed() {
        fn set_default(o: &Object) -> Result {
            o.default("a", 1);
            Ok(())
        }
        fn stash(o: &Object) -> Result {
            o.stash("a");
            Ok(())
        }
        fn restore(o: &Object) -> Result {
            o.restore();
            Ok(())
        }
        const UID: &str = "the module declares fields, and asks whether an object is a fragment: it has to declare metadata.uid too (fields in module!)";
        const STASH: &str = "the module declares fields, and keeps a stash: it has to declare metadata.annotations['conversion.g/stash'] too (fields in module!)";
        const BARE: &[&str] = &["a", "metadata.name"];
        const FULL: &[&str] = &["a", "metadata.uid", "metadata.annotations[\"conversion.g/stash\"]"];
        for (convert, why) in [(set_default as crate::Converter, UID), (stash, STASH), (restore, STASH)] {
            let conversions = Box::leak(Box::new([Conversion { from: "g/v1", to: "g/v2", convert }]));
            for (paths, refused) in [(BARE, true), (FULL, false)] {
                let fields = Box::leak(Box::new([("g/v1", paths)]));
                let module = Module { name: "needs", version: "1", licence: "", source: "", conversions, fields };
                let got = module.convert(r#"{"apiVersion":"g/v1","metadata":{},"a":1}"#, "g/v2").map_err(|e| e.to_string());
                assert_eq!(got.err().unwrap_or_default(), if refused { why } else { "" });
            }
        }
        let shown = Module { name: "stash", version: "1", licence: "", source: "", conversions: &[Conversion { from: "g/v1", to: "g/v2", convert: stash }], fields: &[("g/v1", FULL)] };
        let object = r#"{"apiVersion":"g/v1","metadata":{},"a":1,"b":2}"#; // the hashes of part and whole differ
        let arena = Arena::new();
        let o = Document::open(&arena, object.as_bytes()).value();
        assert_eq!(undeclared(&shown, o, "g/v2", &shown.convert(object, "g/v2")), None);
    }

    #[test]
    fn what_is_shown() {
        let object = r#"{"spec":{"list":[{"a":1,"b":2},"x",null],"map":{"k":{"a":1,"b":2}},"s":"secret","é'\"":{"f":1,"g":2}}}"#;
        for (paths, shown, rest) in [
            (&["spec.list[].a"][..], r#"{"spec":{"list":[{"a":1},"",null]}}"#, r#"{"spec":{"list":[{"b":2},"x",null],"map":{"k":{"a":1,"b":2}},"s":"secret","é'\"":{"f":1,"g":2}}}"#),
            (&["spec.map.*.a", "spec.s.x"], r#"{"spec":{"map":{"k":{"a":1}},"s":""}}"#, r#"{"spec":{"list":[{"a":1,"b":2},"x",null],"map":{"k":{"b":2}},"s":"secret","é'\"":{"f":1,"g":2}}}"#),
            (&["spec['é\\'\"'].f"], r#"{"spec":{"é'\"":{"f":1}}}"#, r#"{"spec":{"list":[{"a":1,"b":2},"x",null],"map":{"k":{"a":1,"b":2}},"s":"secret","é'\"":{"g":2}}}"#),
            (&["spec"], object, "{}"),
        ] {
            let arena = Arena::new();
            let o = Document::open(&arena, object.as_bytes()).value();
            assert_eq!(part_of(o, paths, true), shown);
            let (got, want) = (part_of(o, paths, false), Document::open(&arena, rest.as_bytes()).value());
            assert!(alike(Document::open(&arena, got.as_bytes()).value(), want), "{got}");
        }
    }
}
