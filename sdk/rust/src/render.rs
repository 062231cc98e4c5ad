//! Writes values by copying their text.
//!
//! Only an object or array whose members were edited is written member by member, and there too, neighbours that nobody
//! touched are copied in one piece, with the text between them. Behind the point that was read last nothing can have been
//! edited: the rest of the text is copied as it is.

use alloc::vec::Vec;

use crate::document::{position, Document, Node, CLOSED, EDITED, GONE, LOOSE};
use crate::scan::skip_space;

/// Appends the value. Returns true if the rest of the document, to its very end, was copied along: then all that encloses
/// the value has been written too.
pub(crate) fn render<'a>(d: &'a Document<'a>, n: &'a Node<'a>, out: &mut Vec<u8>) -> bool {
    if !n.is(EDITED) {
        out.extend_from_slice(n.text.get());
        return !n.is(CLOSED);
    }
    out.push(n.kind());
    let object = n.kind() == b'{';
    let mut empty = true;
    let mut next = n.first.get();
    while let Some(mut c) = next {
        next = c.next.get();
        if c.is(GONE) {
            continue;
        }
        if !empty {
            out.push(b',');
        }
        empty = false;
        if untouched(c) {
            let from = c.key.get();
            while let Some(to) = next.filter(|to| untouched(to)) {
                c = to;
                next = c.next.get();
            }
            // The run lies in the text of n, which for an open value goes on to the end of the document.
            let base = n.text.get();
            let (start, last) = (position(base, from), c.text.get());
            let end = position(base, last) + last.len();
            out.extend_from_slice(base.get(start..end).unwrap_or_default());
            if !c.is(CLOSED) {
                return true;
            }
            continue;
        }
        if object {
            out.extend_from_slice(c.key.get());
            out.push(b':');
        }
        if render(d, c, out) {
            return true;
        }
    }
    if n.is(CLOSED) {
        out.push(if object { b'}' } else { b']' });
        return false;
    }
    let mut pos = d.pos.get();
    if empty {
        pos = skip_space(d.text, pos);
        if d.text.get(pos) == Some(&b',') {
            pos = skip_space(d.text, pos + 1);
        }
    }
    out.extend_from_slice(&d.text[pos..]);
    true
}

/// Says that a child is in the text as it should be in the output, and where it should be.
fn untouched(c: &Node) -> bool {
    !c.is(EDITED | GONE | LOOSE)
}
