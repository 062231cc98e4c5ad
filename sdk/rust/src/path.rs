use alloc::string::String;
use core::fmt::Write;

use crate::document::{Document, Node, GONE};

/// The keys that lead from a value to the one that is meant: a key, `"spec"`; several, `["spec", "replicas"]`; or none,
/// `[]`, the value itself.
pub trait Path {
    /// The keys, from the outside in.
    fn keys(&self) -> &[&str];
}

impl Path for &str {
    fn keys(&self) -> &[&str] {
        core::slice::from_ref(self)
    }
}

impl<const N: usize> Path for [&str; N] {
    fn keys(&self) -> &[&str] {
        self
    }
}

impl Path for &[&str] {
    fn keys(&self) -> &[&str] {
        self
    }
}

/// Says where the value is that one reaches from `n` by `path`, as a JSONPath: `.spec.containers[0].image`,
/// `.metadata.labels['app.kubernetes.io/name']`. The whole object is "the object".
pub(crate) fn location<'a>(d: &'a Document<'a>, n: Option<&'a Node<'a>>, path: &[&str]) -> String {
    let mut out = String::new();
    if let Some(n) = n {
        write_location(d, n, &mut out);
    }
    for key in path {
        write_key(&mut out, key);
    }
    if out.is_empty() {
        out.push_str("the object");
    }
    out
}

fn write_location<'a>(d: &'a Document<'a>, n: &'a Node<'a>, out: &mut String) {
    let Some(parent) = n.parent.get() else { return };
    write_location(d, parent, out);
    if parent.kind() == b'{' {
        return write_key(out, d.key(n));
    }
    let (mut index, mut next) = (0, parent.first.get());
    while let Some(c) = next.filter(|c| !core::ptr::eq(*c, n)) {
        index += !c.is(GONE) as usize;
        next = c.next.get();
    }
    let _ = write!(out, "[{index}]");
}

/// Appends `.key`, or `['key']` if the key is not a plain word.
fn write_key(out: &mut String, key: &str) {
    let letter = |c: &u8| c.is_ascii_alphabetic() || *c == b'_';
    let bytes = key.as_bytes();
    if bytes.first().is_some_and(letter) && bytes.iter().all(|c| letter(c) || c.is_ascii_digit() || *c == b'-') {
        out.push('.');
        out.push_str(key);
    } else {
        out.push_str("['");
        out.push_str(key);
        out.push_str("']");
    }
}
