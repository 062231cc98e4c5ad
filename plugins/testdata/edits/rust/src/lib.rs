//! Does what the object says: it runs the list of edits in `.program`, [name, path, argument…], on the object. The same module
//! in every language lets a test compare the SDKs.

use crosswalk::{Object, Raw, Result, Type, Value};

crosswalk::module! {
    name: "edits",
    version: "1.0.0",
    conversions: [ run: "test.example.com/v1" => "test.example.com/v2" ],
}

fn run(o: &Object) -> Result {
    for edit in o.elements("program") {
        let (mut name, mut path, mut text, mut to) = ("", vec![], "", vec![]);
        for (i, part) in edit.elements([]).enumerate() {
            let s = part.str([]).ok().flatten().unwrap_or_default();
            match i {
                0 => name = s,
                1 => path = keys(part),
                _ if part.type_of() == Type::Array => to = keys(part),
                _ => text = s,
            }
        }
        apply(o, name, &path, text, &to);
    }
    Ok(())
}

fn apply(o: &Object, name: &str, path: &[&str], text: &str, to: &[&str]) {
    match name {
        "set" => o.set(path, text),
        "int" => o.set(path, text.parse().unwrap_or(0i64)),
        "bool" => o.set(path, text == "true"),
        "raw" => o.set(path, Raw(text)),
        "append" => o.append(path, text),
        "appendraw" => o.append(path, Raw(text)),
        "delete" => drop(o.remove(path)),
        "rename" => drop(o.rename(path, text)),
        "move" => drop(o.move_to(path, to)),
        "read" => {
            if let Some(raw) = o.raw(path) {
                o.append("out", raw);
            }
        }
        "string" => {
            let s = o.str(path);
            let (ok, wrong) = (matches!(s, Ok(Some(_))), s.is_err());
            o.append("out", format!("{} {ok} {wrong}", s.ok().flatten().unwrap_or_default()));
        }
        "number" => {
            let i = o.int(path);
            let (ok, wrong) = (matches!(i, Ok(Some(_))), i.is_err());
            o.append("out", format!("{} {ok} {wrong}", i.ok().flatten().unwrap_or_default()));
        }
        "keys" => {
            if let Some(v) = o.get(path).filter(|v| v.type_of() == Type::Object) {
                for (key, member) in v.members([]) {
                    o.append("out", format!("{key} {}", member.location([])));
                }
            }
        }
        "elements" => {
            if let Some(v) = o.get(path).filter(|v| v.type_of() == Type::Array) {
                for (i, element) in v.elements([]).enumerate() {
                    if i % 2 == 1 {
                        element.remove([]);
                    } else {
                        element.set([], text);
                    }
                }
            }
        }
        _ => {}
    }
}

/// Returns the strings in an array.
fn keys<'a>(v: Value<'a>) -> Vec<&'a str> {
    v.elements([]).map(|e| e.str([]).ok().flatten().unwrap_or_default()).collect()
}
