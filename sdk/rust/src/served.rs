//! The text that an API server sends for a value.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::value::{Type, Value};

/// Appends a value as an API server sends it to the next conversion: without white space, with the
/// members of each object sorted by their keys, and with each number as `number` returns it.
pub(crate) fn value(v: Value, out: &mut Vec<u8>) {
    match v.type_of() {
        Type::Object => {
            let mut members: Vec<_> = v.members([]).collect();
            members.sort_by_key(|(key, _)| *key);
            out.push(b'{');
            for (i, (_, member)) in members.into_iter().enumerate() {
                if i > 0 {
                    out.push(b',');
                }
                out.extend_from_slice(member.n.key.get());
                out.push(b':');
                value(member, out);
            }
            out.push(b'}');
        }
        Type::Array => {
            out.push(b'[');
            for (i, element) in v.elements([]).enumerate() {
                if i > 0 {
                    out.push(b',');
                }
                value(element, out);
            }
            out.push(b']');
        }
        Type::Number => out.extend_from_slice(number(v.json()).as_bytes()),
        _ => out.extend_from_slice(v.json().as_bytes()),
    }
}

/// Returns a number as an API server writes it: an integer of 64 bits as it is, every other number
/// as the shortest text of the nearest f64, and -0 as 0. A number beyond f64, which the gateway
/// refuses, stays as it is.
pub(crate) fn number(text: &str) -> String {
    if text.parse::<i64>().is_ok() && text != "-0" {
        return text.into();
    }
    let f: f64 = text.parse().unwrap_or(f64::INFINITY);
    let size = if f < 0.0 { -f } else { f };
    match size {
        0.0 => "0".into(),
        f64::INFINITY => text.into(),
        1e-6..1e21 => format!("{f}"),
        1e21.. => format!("{f:e}").replace('e', "e+"),
        _ => format!("{f:e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Arena;
    use crate::document::Document;
    use crate::hash::hash;
    use crate::valid;

    #[test]
    fn shared_vectors() {
        let arena = Arena::new();
        let open = |text: &str| Document::open(&arena, arena.copy(text.as_bytes())).value();
        let vectors = open(valid::json(include_str!("../../../plugins/testdata/stash.json")).unwrap());
        let mut count = 0;
        for vector in vectors.elements("served") {
            count += 1;
            let (json, served) = (vector.str("json").unwrap().unwrap(), vector.str("served").unwrap().unwrap());
            let mut got = Vec::new();
            value(open(json), &mut got);
            assert_eq!(core::str::from_utf8(&got), Ok(served), "{json}");
            assert_eq!(hash(Some(open(json))), hash(Some(open(served))), "{json}");
        }
        assert!(count > 50, "{count} vectors");
    }
}
