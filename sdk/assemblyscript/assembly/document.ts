import { alloc, Buffer, copy, PAD, shrink } from "./memory";
import { escapes, skipSpace, stringEnd, valueEnd } from "./scan";
import { encode, make as makeText, Text, unescape } from "./text";
import { Value } from "./value";

// A JSON text with a lazy index. A search goes from the front and stops where it finds what it looks for. The values on its way
// have no known end; they are called open, each is the last child of the one before, and nothing behind pos has been looked at.
// Asking for something further on, or for the end of an open value, goes on from there.

@unmanaged
export class Document {
  text: usize;
  end: usize;
  pos: usize; // how far the text has been read
  open: Value | null; // the innermost value that is being listed
  root: Value | null;
  error: Text | null; // the first thing that went wrong, or what refuse was told
}

/** An object or array whose members are, or are being, listed. */
export const ENTERED: u32 = 1;
/** Its members are not those of its text any more. */
export const EDITED: u32 = 2;
/** Deleted, or moved elsewhere as another value. */
export const GONE: u32 = 4;
/** Key or value are new, or not where the text has them. */
export const LOOSE: u32 = 8;
/** The key has escapes. */
export const ESCAPED: u32 = 16;

/** The document of the object that is being converted. */
export let current: Document = changetype<Document>(0);

/** Makes d the current document. */
export function setCurrent(d: Document): void {
  current = d;
}

/** How the converter crashed at the object that is being converted, if its language can catch that. */
export let crash: Text | null = null;

/** Notes that the converter crashed. If the object was refused before, the crash is a consequence of that, and the refusal stays. */
export function crashed(message: string): void {
  if (!current.error && !crash) crash = Text.of(message);
}

/** Forgets a crash: called before each object. */
export function clearCrash(): void {
  crash = null;
}

/** Begins the document of the text, which must stay where it is, and makes it the current one if it is the gateway's. */
export function openDocument(text: usize, end: usize, isCurrent: bool): Document {
  const d = changetype<Document>(alloc(offsetof<Document>()));
  d.text = text;
  d.end = end;
  d.pos = skipSpace(text, end);
  d.open = null;
  d.error = null;
  d.root = newValue(d, null, d.pos, 0);
  if (isCurrent) current = d;
  return d;
}

/** Remembers the first thing that went wrong; the object is refused with it. */
export function fail(d: Document, message: string): void {
  if (!d.error) d.error = Text.of(message);
}

/** The text is not JSON: it ends all reading, every open value ends where the text does. */
function malformed(d: Document, at: usize): void {
  fail(d, "the object is not valid JSON at byte " + (at - d.text).toString());
  let v = d.root;
  while (v) {
    if (!v.end) v.end = d.end;
    v = v.last;
  }
  d.open = null;
  d.pos = d.end;
}

export function newValue(d: Document, parent: Value | null, at: usize, end: usize): Value {
  const v = changetype<Value>(alloc(offsetof<Value>()));
  v.key = v.at = at;
  v.end = end;
  v.parent = parent;
  v.next = v.first = v.last = v.found = null;
  v.home = d;
  v.keySize = v.flags = 0;
  if (parent) {
    const last = parent.last;
    if (last) last.next = v;
    else parent.first = v;
    parent.last = v;
  }
  return v;
}

let childPos: usize = 0; // behind the closing bracket, after child has returned null

/** Reads what follows a value (or an opening bracket) in n, and adds one more child; null if there is none, or the text is malformed. */
function child(n: Value, pos: usize, end: usize): Value | null {
  const d = n.home;
  let p = skipSpace(pos, end);
  if (p < end && load<u8>(p) == 0x2c) p = skipSpace(p + 1, end);
  if (p >= end) {
    malformed(d, p);
    return null;
  }
  if ((load<u8>(p) | 0x20) == 0x7d) {
    childPos = p + 1;
    return null;
  }
  const key = p;
  let keySize: usize = 0, flags: u32 = 0;
  if (load<u8>(n.at) == 0x7b) {
    const keyEnd = load<u8>(p) == 0x22 ? stringEnd(p + 1, end) : 0;
    if (!keyEnd) {
      malformed(d, p);
      return null;
    }
    if (escapes) flags = ESCAPED;
    keySize = keyEnd - key;
    p = skipSpace(keyEnd, end);
    p = p < end && load<u8>(p) == 0x3a ? skipSpace(p + 1, end) : end;
    if (p == end) {
      malformed(d, keyEnd);
      return null;
    }
  }
  const c = newValue(d, n, p, 0);
  c.key = key;
  c.keySize = <u32>keySize;
  c.flags = flags;
  return c;
}

/** Makes n, which is open, the innermost open value and reads up to the end of its last child. */
function settle(n: Value): void {
  const d = n.home;
  for (let inner = d.open; inner && inner != n; inner = d.open) {
    while (d.open == inner) scan(inner);
  }
  const last = n.last;
  if (last && !last.end) {
    last.end = valueEnd(last.at, d.end);
    if (last.end) d.pos = last.end;
    else malformed(d, last.at);
  }
}

/** Lists one more member of n, which is open; null when there is none: n's end is known then. */
export function scan(n: Value): Value | null {
  const d = n.home;
  settle(n);
  if (n.end) return null;
  const c = child(n, d.pos, d.end);
  if (c) {
    d.pos = c.at;
  } else if (!n.end) {
    n.end = d.pos = childPos;
    d.open = n.parent;
  }
  return c;
}

/** Begins to list the members of n, an object or array. */
export function enter(n: Value): void {
  if (n.flags & ENTERED) return;
  n.flags |= ENTERED;
  const d = n.home;
  if (!n.end) { // the value that the search stopped at
    d.open = n;
    d.pos = n.at + 1;
    return;
  }
  // Skipped before, or put in by an edit: its end is known, and all of it is listed now.
  let pos = n.at + 1;
  for (let c = child(n, pos, n.end); c; c = child(n, pos, n.end)) {
    pos = valueEnd(c.at, n.end);
    c.end = pos;
    if (!pos) {
      c.end = n.end;
      malformed(d, c.at);
      return;
    }
  }
}

/** Makes sure that n's end is known. */
export function finish(n: Value): void {
  const d = n.home;
  while (!n.end) {
    if (n.flags & ENTERED) {
      scan(n);
      continue;
    }
    n.end = valueEnd(n.at, d.end);
    if (n.end) {
      d.pos = n.end;
    } else {
      malformed(d, n.at);
      n.end = d.end;
    }
  }
}

function equal(a: usize, b: usize, n: usize): bool {
  while (n >= 8) {
    if (load<u64>(a) != load<u64>(b)) return false;
    a += 8;
    b += 8;
    n -= 8;
  }
  while (n) {
    n--;
    if (load<u8>(a + n) != load<u8>(b + n)) return false;
  }
  return true;
}

function keyIs(c: Value, key: usize, size: usize): bool {
  if (!(c.flags & ESCAPED)) return <usize>c.keySize == size + 2 && equal(c.key + 1, key, size);
  if (<usize>c.keySize < size + 2) return false;
  const plain = alloc(<usize>c.keySize + PAD);
  const same = unescape(plain, c.key + 1, c.key + c.keySize - 1) == size && equal(plain, key, size);
  shrink(plain, 0);
  return same;
}

const sought = Buffer.make(); // the key that is being looked for

/** Returns the member with that key, null or not; null if there is none or n is no object. */
export function find(n: Value | null, key: string): Value | null {
  if (!n || kindOf(n) != 0x7b) return null;
  const at = sought.reserve(<usize>key.length * 3);
  return search(n, at, encode(key, at));
}

function search(n: Value, key: usize, size: usize): Value | null {
  enter(n);
  let c = n.found;
  if (c && !(c.flags & GONE) && keyIs(c, key, size)) return c;
  c = n.first;
  while (c) {
    if (!(c.flags & GONE) && keyIs(c, key, size)) {
      n.found = c;
      return c;
    }
    c = c.next;
  }
  while (!n.end) {
    c = scan(n);
    if (c && keyIs(c, key, size)) {
      n.found = c;
      return c;
    }
  }
  return null;
}

/** The first byte of a value, which says what it is; 0 if the text is malformed. */
// @ts-ignore: decorator
@inline
export function kindOf(n: Value): u8 {
  return n.at < (n.end ? n.end : n.home.end) ? load<u8>(n.at) : 0;
}

/** Returns the text of the JSON string at p, which has its quotes: in place if it has no escapes. */
export function plain(p: usize, end: usize): Text {
  if (end - p < 2) return changetype<Text>(0); // malformed; the error is noted
  stringEnd(p + 1, end);
  p++;
  end--;
  if (!escapes) return makeText(p, end - p);
  const to = alloc(end - p + PAD);
  const size = unescape(to, p, end);
  shrink(to, size + PAD);
  return makeText(to, size);
}

/** Copies n bytes to where they live as long as the object. */
export function keep(from: usize, n: usize): usize {
  const to = alloc(n + PAD);
  copy(to, from, n);
  return to;
}
