//! Memory for one object: taken in order, given back all at once.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::cell::{Cell, RefCell};
use core::mem::{align_of, needs_drop, size_of, MaybeUninit};
use core::{ptr, slice};

/// The unit of memory, as aligned as anything that is put here.
type Word = MaybeUninit<u64>;

const WORD: usize = size_of::<Word>();

/// The words of the first chunk: enough for what most objects need.
const FIRST: usize = (16 << 10) / WORD;

/// Where the nodes and texts of a document live. What is put here is never dropped, and stays where it is until `reset`.
pub(crate) struct Arena {
    chunks: RefCell<Vec<Box<[Word]>>>,
    at: Cell<*mut u8>,
    left: Cell<usize>, // bytes at `at`, a multiple of WORD
    scratch: Cell<Vec<u8>>,
}

impl Arena {
    pub const fn new() -> Self {
        Arena {
            chunks: RefCell::new(Vec::new()),
            at: Cell::new(ptr::null_mut()),
            left: Cell::new(0),
            scratch: Cell::new(Vec::new()),
        }
    }

    /// Forgets everything that was put here. Of the memory, the largest chunk is kept for what comes next.
    #[cfg(any(target_arch = "wasm32", test))]
    pub fn reset(&mut self) {
        let chunks = self.chunks.get_mut();
        if chunks.len() > 1 {
            chunks.drain(..chunks.len() - 1);
        }
        if let Some(chunk) = chunks.last_mut() {
            self.at.set(chunk.as_mut_ptr().cast());
            self.left.set(chunk.len() * WORD);
        }
    }

    /// Puts a value here.
    pub fn put<T>(&self, value: T) -> &T {
        const { assert!(!needs_drop::<T>() && align_of::<T>() <= align_of::<Word>()) };
        let place = self.take(size_of::<T>()).cast::<T>();
        // SAFETY: take returned room for a T, aligned to a Word, that nobody else has.
        unsafe {
            place.write(value);
            &*place
        }
    }

    /// Puts a copy of bytes here.
    pub fn copy(&self, bytes: &[u8]) -> &[u8] {
        let place = self.take(bytes.len());
        // SAFETY: take returned room for that many bytes that nobody else has, so they do not overlap.
        unsafe {
            ptr::copy_nonoverlapping(bytes.as_ptr(), place, bytes.len());
            slice::from_raw_parts(place, bytes.len())
        }
    }

    /// Puts the bytes here that `write` appends to an empty buffer.
    pub fn text(&self, write: impl FnOnce(&mut Vec<u8>)) -> &[u8] {
        let mut buffer = self.scratch.take();
        buffer.clear();
        write(&mut buffer);
        let text = self.copy(&buffer);
        self.scratch.set(buffer);
        text
    }

    /// Returns room for `size` bytes, aligned to a Word.
    fn take(&self, size: usize) -> *mut u8 {
        let size = size.next_multiple_of(WORD);
        if size > self.left.get() {
            self.grow(size);
        }
        let at = self.at.get();
        // SAFETY: the chunk has `left` bytes at `at`, and size is no more.
        self.at.set(unsafe { at.add(size) });
        self.left.set(self.left.get() - size);
        at
    }

    #[cold]
    fn grow(&self, size: usize) {
        let mut chunks = self.chunks.borrow_mut();
        let words = chunks.last().map_or(FIRST, |last| last.len() * 2).max(size / WORD);
        let mut chunk = Vec::with_capacity(words);
        // SAFETY: a Word may be uninitialised.
        unsafe { chunk.set_len(words) };
        let mut chunk: Box<[Word]> = chunk.into_boxed_slice();
        self.at.set(chunk.as_mut_ptr().cast());
        self.left.set(words * WORD);
        chunks.push(chunk);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_was_put() {
        let mut arena = Arena::new();
        for round in 0..3 {
            let texts: Vec<&[u8]> = (0..1000).map(|i| arena.copy(&[i as u8; 77])).collect();
            let numbers: Vec<&u64> = (0..1000).map(|i| arena.put(i)).collect();
            let large = arena.text(|b| b.resize(1 << 20, round));
            assert!(texts.iter().enumerate().all(|(i, t)| **t == [i as u8; 77]));
            assert!(numbers.iter().enumerate().all(|(i, n)| **n == i as u64));
            assert!(large.len() == 1 << 20 && large.iter().all(|b| *b == round));
            arena.reset();
            assert_eq!(arena.chunks.borrow().len(), 1);
        }
    }

    #[test]
    fn text_within_text() {
        let arena = Arena::new();
        let outer = arena.text(|b| {
            b.extend_from_slice(b"outer ");
            b.extend_from_slice(arena.text(|b| b.extend_from_slice(b"inner")));
        });
        assert_eq!(outer, b"outer inner");
    }
}
