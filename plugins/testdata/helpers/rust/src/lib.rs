//! Does what the object says: it calls the helpers in `.program`, [name, object, argument…], where object is the path of the
//! object that the keys among the arguments are members of. The same module in every language lets the shared vectors compare
//! the SDKs. Between v3 and v4 it calls `lossless` with the programs `.forth` and `.back`.

use crosswalk::{lossless, Object, Raw, Result, Type, Value};

crosswalk::module! {
    name: "helpers",
    version: "1.0.0",
    conversions: [
        run: "test.example.com/v1" => "test.example.com/v2",
        to_v4: "test.example.com/v3" => "test.example.com/v4",
        to_v3: "test.example.com/v4" => "test.example.com/v3",
    ],
}

fn run(o: &Object) -> Result {
    run_program(o, "program")?;
    o.remove("program");
    Ok(())
}

fn to_v4(o: &Object) -> Result {
    lossless(o, forth, back)
}

fn to_v3(o: &Object) -> Result {
    lossless(o, back, forth)
}

fn forth(o: &Object) -> Result {
    run_program(o, "forth")
}

fn back(o: &Object) -> Result {
    run_program(o, "back")
}

fn run_program(o: &Object, key: &str) -> Result {
    for call in o.elements(key) {
        let (mut name, mut object, mut arguments, mut pairs) = ("", vec![], vec![], vec![]);
        for (i, part) in call.elements([]).enumerate() {
            match i {
                0 => name = text(part),
                1 => object = texts(part),
                _ if part.type_of() == Type::Array => pairs.push((texts(part)[0], texts(part)[1])),
                _ => arguments.push(text(part)),
            }
        }
        apply(o, name, &object, &arguments, &pairs);
    }
    Ok(())
}

fn apply(o: &Object, name: &str, object: &[&str], arguments: &[&str], pairs: &[(&str, &str)]) {
    let path = [object, &arguments[..1]].concat();
    let path = &path[..];
    let rest = &arguments[1..];
    let others: Vec<Vec<&str>> = rest.iter().skip(1).map(|key| [object, &[key]].concat()).collect();
    let others: Vec<&[&str]> = others.iter().map(Vec::as_slice).collect();
    let value = rest.get(1).copied().filter(|value| !value.is_empty());
    match name {
        "split" => drop(o.split(path, rest[0], &others)),
        "join" => {
            if !o.join(path, rest[0], &others) {
                o.set("joined", false);
            }
        }
        "splitlast" => drop(o.split_last(path, rest[0], &others)),
        "joinlast" => {
            if !o.join_last(path, rest[0], &others) {
                o.set("joined", false);
            }
        }
        "intfromstring" => drop(o.int_from_string(path)),
        "stringfromint" => drop(o.string_from_int(path)),
        "splitlist" => drop(o.split_list(path, rest[0])),
        "joinlist" => drop(o.join_list(path, rest[0])),
        "listfrommap" => drop(o.list_from_map(path, rest[0], value)),
        "mapfromlist" => drop(o.map_from_list(path, rest[0], value)),
        "translate" => {
            if !o.translate(path, pairs) {
                o.set("translated", false);
            }
        }
        "translateback" => drop(o.translate_back(path, pairs)),
        "removeifempty" => drop(o.remove_if_empty(path)),
        "default" => drop(o.default(path, Raw(rest[0]))),
        _ => {}
    }
}

fn text<'a>(v: Value<'a>) -> &'a str {
    v.str([]).ok().flatten().unwrap_or_default()
}

/// Returns the strings in an array.
fn texts<'a>(v: Value<'a>) -> Vec<&'a str> {
    v.elements([]).map(text).collect()
}

#[test]
fn vectors() {
    crosswalk::testing::run(&MODULE, "../testdata/vectors.json");
}
