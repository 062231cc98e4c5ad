//! A JSON text with a lazy index.
//!
//! A search goes from the front and stops where it finds what it looks for. The values on its way have no known end; they
//! are called open, each is the last child of the one before, and nothing behind `pos` has been looked at. Asking for
//! something further on, or for the end of an open value, goes on from there.

use alloc::vec::Vec;
use core::cell::Cell;
use core::fmt::Write;

use crate::arena::Arena;
use crate::error::Message;
use crate::module::Fields;
use crate::scan::{skip_space, string_end, value_end};
use crate::stash::Stash;
use crate::text::unquote;

pub(crate) struct Document<'a> {
    pub arena: &'a Arena,
    pub text: &'a [u8],
    pub root: &'a Node<'a>,
    /// How far the text has been read.
    pub pos: Cell<usize>,
    /// The innermost value that is being listed.
    open: Cell<Option<&'a Node<'a>>>,
    /// The first thing that went wrong.
    pub error: Cell<Option<&'a str>>,
    /// The apiVersions of the conversion that is going on.
    pub conversion: Cell<Option<(&'a str, &'a str)>>,
    /// The fields that the module declares; none: it is shown whole objects.
    pub fields: Cell<Fields>,
    /// What that keeps and puts back, if anything.
    pub stash: Cell<Option<&'a Stash<'a>>>,
}

/// One value. It lives as long as the object, also when it is not part of it any more.
pub(crate) struct Node<'a> {
    /// The key with its quotes; empty, where the value is, for elements and the root.
    pub key: Cell<&'a [u8]>,
    /// The value; to the end of the document's text as long as the flag CLOSED is not set.
    pub text: Cell<&'a [u8]>,
    pub parent: Cell<Option<&'a Node<'a>>>,
    pub next: Cell<Option<&'a Node<'a>>>,
    pub first: Cell<Option<&'a Node<'a>>>,
    pub last: Cell<Option<&'a Node<'a>>>,
    /// The member that was asked for last.
    pub found: Cell<Option<&'a Node<'a>>>,
    pub flags: Cell<u32>,
}

/// The end of the value is known.
pub(crate) const CLOSED: u32 = 1;
/// An object or array whose members are, or are being, listed.
pub(crate) const ENTERED: u32 = 2;
/// Its members are not those of its text any more.
pub(crate) const EDITED: u32 = 4;
/// Deleted, or moved elsewhere as another value.
pub(crate) const GONE: u32 = 8;
/// Key or value are new, or not where the text has them.
pub(crate) const LOOSE: u32 = 16;
/// The key has escapes.
pub(crate) const ESCAPED: u32 = 32;

impl<'a> Node<'a> {
    fn new(parent: Option<&'a Node<'a>>, key: &'a [u8], text: &'a [u8], flags: u32) -> Self {
        Node {
            key: Cell::new(key),
            text: Cell::new(text),
            parent: Cell::new(parent),
            next: Cell::new(None),
            first: Cell::new(None),
            last: Cell::new(None),
            found: Cell::new(None),
            flags: Cell::new(flags),
        }
    }

    #[inline]
    pub fn is(&self, flag: u32) -> bool {
        self.flags.get() & flag != 0
    }

    #[inline]
    pub fn mark(&self, flag: u32) {
        self.flags.set(self.flags.get() | flag);
    }

    /// The first byte of the value, which says its type; 0 where the text ends too early.
    #[inline]
    pub fn kind(&self) -> u8 {
        self.text.get().first().copied().unwrap_or(0)
    }

    /// The key without quotes, as it is in the text.
    pub fn inner_key(&self) -> &'a [u8] {
        let key = self.key.get();
        key.get(1..key.len().saturating_sub(1)).unwrap_or_default()
    }

    #[inline]
    fn key_is(&self, key: &str) -> bool {
        if !self.is(ESCAPED) {
            return self.inner_key() == key.as_bytes();
        }
        let mut plain = Vec::new();
        unquote(&mut plain, self.inner_key());
        plain == key.as_bytes()
    }

    /// Closes the value at `end`, a position in its text.
    fn close(&self, end: usize) {
        let text = self.text.get();
        self.text.set(&text[..end.min(text.len())]);
        self.mark(CLOSED);
    }
}

pub(crate) fn same<'a>(a: Option<&Node<'a>>, b: Option<&Node<'a>>) -> bool {
    a.map(core::ptr::from_ref) == b.map(core::ptr::from_ref)
}

/// Returns the position in `base` where `part`, a part of it, begins.
#[inline]
pub(crate) fn position(base: &[u8], part: &[u8]) -> usize {
    (part.as_ptr() as usize).wrapping_sub(base.as_ptr() as usize)
}

impl<'a> Document<'a> {
    pub fn open(arena: &'a Arena, text: &'a [u8]) -> &'a Document<'a> {
        let pos = skip_space(text, 0);
        let root = arena.put(Node::new(None, &text[pos..pos], &text[pos..], 0));
        arena.put(Document {
            arena,
            text,
            root,
            pos: Cell::new(pos),
            open: Cell::new(None),
            error: Cell::new(None),
            conversion: Cell::new(None),
            fields: Cell::new(&[]),
            stash: Cell::new(None),
        })
    }

    /// Says that one of the paths is declared for the conversion that is going on, as it is written here, or that everything is shown.
    pub fn shown(&self, paths: &[&str]) -> bool {
        let (fields, Some((from, to))) = (self.fields.get(), self.conversion.get()) else { return true };
        let mut of_these = fields.iter().filter(|(version, _)| *version == from || *version == to);
        fields.is_empty() || of_these.any(|(_, declared)| declared.iter().any(|path| paths.contains(path)))
    }

    /// Remembers what went wrong, if it is the first thing.
    pub fn fail(&self, error: impl Message) {
        if self.error.get().is_none() {
            let text = self.arena.text(|out| out.extend_from_slice(error.text().as_bytes()));
            self.error.set(core::str::from_utf8(text).ok());
        }
    }

    /// Notes that the text is not JSON and ends all reading: every open value ends where the text does.
    fn malformed(&'a self, at: usize) {
        let mut message = alloc::string::String::new();
        let _ = write!(message, "the object is not valid JSON at byte {at}");
        self.fail(message);
        let mut v = Some(self.root);
        while let Some(n) = v {
            n.mark(CLOSED);
            v = n.last.get();
        }
        self.open.set(None);
        self.pos.set(self.text.len());
    }

    /// Adds a child to the end of `parent`.
    pub fn add(&'a self, parent: &'a Node<'a>, key: &'a [u8], text: &'a [u8], flags: u32) -> &'a Node<'a> {
        let c = self.arena.put(Node::new(Some(parent), key, text, flags));
        match parent.last.replace(Some(c)) {
            Some(last) => last.next.set(Some(c)),
            None => parent.first.set(Some(c)),
        }
        c
    }

    /// Reads what follows a value, or an opening bracket, of `n` at `base[pos..]`. Adds one more child, whose value begins
    /// where `pos` then is, or returns None with `pos` behind the closing bracket, or None after a failure.
    fn child(&'a self, n: &'a Node<'a>, base: &'a [u8], pos: &mut usize) -> Option<&'a Node<'a>> {
        let mut at = skip_space(base, *pos);
        if base.get(at) == Some(&b',') {
            at = skip_space(base, at + 1);
        }
        let Some(&c) = base.get(at) else {
            self.malformed(position(self.text, base).wrapping_add(at));
            return None;
        };
        if c == b'}' || c == b']' {
            *pos = at + 1;
            return None;
        }
        let (mut key, mut flags) = (&base[at..at], 0);
        if n.kind() == b'{' {
            let end = if c == b'"' { string_end(base, at + 1) } else { None };
            let Some((end, escaped)) = end else {
                self.malformed(position(self.text, base).wrapping_add(at));
                return None;
            };
            key = &base[at..end];
            if escaped {
                flags = ESCAPED;
            }
            at = skip_space(base, end);
            if base.get(at) == Some(&b':') {
                at = skip_space(base, at + 1);
            } else {
                at = base.len();
            }
            if at == base.len() {
                self.malformed(position(self.text, base).wrapping_add(end));
                return None;
            }
        }
        *pos = at;
        Some(self.add(n, key, &base[at..], flags))
    }

    /// Lists one more member of `n`, which is open, and returns it, its end not known; None when there is none: n's end is
    /// known then.
    fn scan(&'a self, n: &'a Node<'a>) -> Option<&'a Node<'a>> {
        // What is open within n is read to its end first.
        while let Some(inner) = self.open.get().filter(|open| !core::ptr::eq(*open, n)) {
            while same(self.open.get(), Some(inner)) {
                self.scan(inner);
            }
        }
        if let Some(last) = n.last.get().filter(|last| !last.is(CLOSED)) {
            self.skip(last);
        }
        if n.is(CLOSED) {
            return None; // malformed
        }
        let mut pos = self.pos.get();
        let c = self.child(n, self.text, &mut pos);
        if c.is_some() {
            self.pos.set(pos);
        } else if !n.is(CLOSED) {
            n.close(pos - position(self.text, n.text.get()));
            self.pos.set(pos);
            self.open.set(n.parent.get());
        }
        c
    }

    /// Reads over `n`, the value that the search stopped at.
    fn skip(&'a self, n: &'a Node<'a>) {
        match value_end(n.text.get(), 0) {
            Some(end) => {
                self.pos.set(position(self.text, n.text.get()) + end);
                n.close(end);
            }
            None => self.malformed(position(self.text, n.text.get())),
        }
        n.mark(CLOSED);
    }

    /// Begins to list the members of `n`, an object or array.
    fn enter(&'a self, n: &'a Node<'a>) {
        if n.is(ENTERED) {
            return;
        }
        n.mark(ENTERED);
        if !n.is(CLOSED) {
            // The value that the search stopped at.
            self.open.set(Some(n));
            self.pos.set(position(self.text, n.text.get()) + 1);
            return;
        }
        // Skipped before, or put in by an edit: its end is known, and all of it is listed now.
        let (base, mut pos) = (n.text.get(), 1);
        while let Some(c) = self.child(n, base, &mut pos) {
            let Some(end) = value_end(base, pos) else {
                c.mark(CLOSED);
                self.malformed(pos);
                return;
            };
            c.close(end - pos);
            pos = end;
        }
    }

    /// Makes sure that n's end is known.
    pub fn finish(&'a self, n: &'a Node<'a>) {
        while !n.is(CLOSED) {
            if n.is(ENTERED) {
                self.scan(n);
            } else {
                self.skip(n);
            }
        }
    }

    /// Lists all children of `n`, an object or array.
    pub fn list(&'a self, n: &'a Node<'a>) {
        self.enter(n);
        self.finish(n);
    }

    /// Returns the member of `n` with that key, null or not.
    pub fn find(&'a self, n: &'a Node<'a>, key: &str) -> Option<&'a Node<'a>> {
        if n.kind() != b'{' {
            return None;
        }
        self.enter(n);
        if let Some(c) = n.found.get().filter(|c| !c.is(GONE) && c.key_is(key)) {
            return Some(c);
        }
        let mut next = n.first.get();
        while let Some(c) = next {
            if !c.is(GONE) && c.key_is(key) {
                n.found.set(next);
                return next;
            }
            next = c.next.get();
        }
        while !n.is(CLOSED) {
            let c = self.scan(n);
            if c.is_some_and(|c| c.key_is(key)) {
                n.found.set(c);
                return c;
            }
        }
        None
    }

    /// Returns the child of `n` behind `c`, the first one for None.
    pub fn after(&'a self, n: &'a Node<'a>, c: Option<&'a Node<'a>>) -> Option<&'a Node<'a>> {
        self.enter(n);
        let mut next = c.map_or(n.first.get(), |c| c.next.get());
        while next.is_some_and(|c| c.is(GONE)) {
            next = next.and_then(|c| c.next.get());
        }
        if next.is_none() && !n.is(CLOSED) {
            next = self.scan(n);
        }
        next
    }

    /// Returns the text of a JSON string without its quotes, in place if it has no escapes. Bytes that are no UTF-8, which
    /// the gateway never sends, become U+FFFD.
    pub fn plain(&'a self, inner: &'a [u8]) -> &'a str {
        let mut plain = inner;
        if inner.contains(&b'\\') {
            plain = self.arena.text(|out| unquote(out, inner));
        }
        self.utf8(plain)
    }

    pub fn utf8(&'a self, text: &'a [u8]) -> &'a str {
        core::str::from_utf8(text).unwrap_or_else(|_| {
            let clean = self.arena.text(|out| {
                for chunk in text.utf8_chunks() {
                    out.extend_from_slice(chunk.valid().as_bytes());
                    if !chunk.invalid().is_empty() {
                        out.extend_from_slice("\u{fffd}".as_bytes());
                    }
                }
            });
            core::str::from_utf8(clean).unwrap_or_default()
        })
    }

    pub fn key(&'a self, n: &'a Node<'a>) -> &'a str {
        if n.is(ESCAPED) {
            self.plain(n.inner_key())
        } else {
            self.utf8(n.inner_key())
        }
    }
}
