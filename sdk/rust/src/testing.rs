//! Tests a module natively, with the golden cases that its WebAssembly form is tested with as well.
//!
//! ```ignore
//! #[test]
//! fn golden_cases() {
//!     crosswalk::testing::run(&MODULE, "build/vectors.json");
//! }
//! ```

use std::fs;
use std::string::{String, ToString};
use std::vec::Vec;
use std::{format, println};

use crate::arena::Arena;
use crate::declared::undeclared;
use crate::document::Document;
use crate::value::{Type, Value};
use crate::{valid, Module};

/// Runs the vectors of a file, a JSON list of `{"name", "desiredAPIVersion", "objects", "want" | "wantError"}`, and checks
/// what the gateway takes for granted: that converting an object twice gives the same. `want` is compared as JSON: white space
/// and the order of members do not matter, but numbers must be written alike; `wantError` is the exact text of the first
/// refusal. Of a module that declares its fields, it also finds what it reads or writes without declaring it.
///
/// # Panics
///
/// If a vector fails, or the file is no list of vectors: it is a test.
pub fn run(module: &Module, file: &str) {
    let text = fs::read_to_string(file).unwrap_or_else(|error| {
        panic!("{file}: {error} (make test writes it from the golden cases of the sidecar, with crosswalk test --vectors)")
    });
    let json = valid::json(&text).unwrap_or_else(|| panic!("{file} is not JSON"));
    let arena = Arena::new();
    let list = Document::open(&arena, json.as_bytes()).value();
    assert!(list.type_of() == Type::Array, "{file} must be a list of vectors");
    let mut failures = Vec::new();
    let mut count = 0;
    for vector in list.elements([]) {
        count += 1;
        let name = text_of(vector, "name", file);
        if let Err(why) = check(module, vector, file) {
            failures.push(format!("{name}: {why}"));
        }
    }
    assert!(count > 0, "{file} has no vectors");
    assert!(failures.is_empty(), "{} of {count} vectors fail\n\n{}\n", failures.len(), failures.join("\n\n"));
    println!("{count} vectors of {file}");
}

fn check(module: &Module, vector: Value, file: &str) -> Result<(), String> {
    for (key, _) in vector.members([]) {
        if !["name", "desiredAPIVersion", "objects", "want", "wantError"].contains(&key) {
            return Err(format!("{key} is not a field of a vector"));
        }
    }
    let desired = text_of(vector, "desiredAPIVersion", file);
    let objects: Vec<Value> = vector.elements("objects").collect();
    let want = vector.get("want").map(|want| want.elements([]).collect::<Vec<_>>());
    let want_error = vector.str("wantError").map_err(|e| e.to_string())?;
    if want.is_some() == want_error.is_some() || want.as_ref().is_some_and(|want| want.len() != objects.len()) {
        return Err("it needs either wantError or a list want with one answer for each object".into());
    }
    for (i, object) in objects.iter().enumerate() {
        let got = module.convert(object.json(), desired);
        if got != module.convert(object.json(), desired) {
            return Err(format!("object {i} is converted differently the second time"));
        }
        if let Some(why) = undeclared(module, *object, desired, &got) {
            return Err(format!("object {i} {why}"));
        }
        match (got, &want, want_error) {
            (Ok(got), Some(want), _) if !same(&got, want[i]) => {
                return Err(format!("object {i} became\n\t{got}\nbut should be\n\t{}", want[i].json()));
            }
            (Ok(_), ..) => {}
            (Err(error), _, Some(want)) if error.to_string() == want => return Ok(()),
            (Err(error), _, Some(want)) => {
                return Err(format!("object {i} was refused with\n\t{error}\nbut should have been with\n\t{want}"));
            }
            (Err(error), ..) => return Err(format!("object {i} was refused: {error}")),
        }
    }
    match want_error {
        Some(want) => Err(format!("no object was refused, but one should have been with\n\t{want}")),
        None => Ok(()),
    }
}

fn text_of<'a>(vector: Value<'a>, key: &str, file: &str) -> &'a str {
    match vector.str(key) {
        Ok(Some(text)) => text,
        _ => panic!("{file}: {} must be a string", vector.location(key)),
    }
}

/// Says that a text is JSON and the same as a value.
fn same(got: &str, want: Value) -> bool {
    let arena = Arena::new();
    valid::json(got).is_some_and(|got| equal(Document::open(&arena, got.as_bytes()).value(), want))
}

fn equal(a: Value, b: Value) -> bool {
    match (a.type_of(), b.type_of()) {
        (Type::Object, Type::Object) => {
            let find = |key: &str| b.lookup(&[key]).ok().flatten();
            a.members([]).count() == b.members([]).count()
                && a.members([]).all(|(key, v)| find(key).is_some_and(|other| equal(v, other)))
        }
        (Type::Array, Type::Array) => {
            a.elements([]).count() == b.elements([]).count() && a.elements([]).zip(b.elements([])).all(|(v, w)| equal(v, w))
        }
        (Type::String, Type::String) => a.str([]) == b.str([]),
        (x, y) => x == y && a.json() == b.json(),
    }
}
