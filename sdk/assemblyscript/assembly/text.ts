import { alloc, copy, PAD, shrink } from "./memory";

/**
 * UTF-8 text, where it is in the object or made for it: cutting it copies nothing. Valid until the conversion returns; toString
 * makes a string that may be kept. A text that is absent does not exist; it has length 0.
 */
@unmanaged
export class Text {
  at: usize;
  size: u32;

  /** The text in quotes of a string. */
  static of(s: string): Text {
    const n = <usize>s.length * 3;
    const at = alloc(n + PAD);
    const size = encode(s, at);
    shrink(at, size + PAD);
    return make(at, size);
  }

  /** Whether there is a text, empty or not. */
  get exists(): bool {
    return changetype<usize>(this) != 0;
  }

  /** In bytes. */
  get length(): i32 {
    return changetype<usize>(this) ? <i32>this.size : 0;
  }

  /** The byte at index, which must be less than length. */
  byteAt(index: i32): u8 {
    return load<u8>(this.at + <usize>index);
  }

  equals(s: string): bool {
    return changetype<usize>(this) != 0 && equalsString(this.at, this.size, s);
  }

  same(other: Text): bool {
    const n = this.length;
    return n == other.length && (n == 0 || memory.compare(this.at, other.at, <usize>n) == 0);
  }

  /** The first position of s from there on, in bytes; -1 if there is none. */
  indexOf(s: string, from: i32 = 0): i32 {
    const n = this.length;
    const mark = alloc(0);
    const key = Text.of(s);
    const m = key.length;
    let found = -1;
    for (let i = max(from, 0); i + m <= n; i++) {
      if (memory.compare(this.at + <usize>i, key.at, <usize>m) == 0) {
        found = i;
        break;
      }
    }
    shrink(mark, 0);
    return found;
  }

  includes(s: string): bool {
    return this.indexOf(s) >= 0;
  }

  startsWith(s: string): bool {
    const n = s.length;
    return this.length >= n && this.slice(0, n).equals(s);
  }

  /** The bytes from start to end, both within the text. */
  slice(start: i32, end: i32 = i32.MAX_VALUE): Text {
    const n = this.length;
    start = min(max(start, 0), n);
    end = min(max(end, start), n);
    return make(n ? this.at + <usize>start : 0, <usize>(end - start));
  }

  /** The words: what is between white space. */
  words(): Texts {
    const out = Texts.make();
    const n = this.length;
    for (let i = 0; i < n; ) {
      while (i < n && isSpace(this.byteAt(i))) i++;
      const start = i;
      while (i < n && !isSpace(this.byteAt(i))) i++;
      if (i > start) out.push(this.slice(start, i));
    }
    return out;
  }

  /** The parts between separators, one more than there are of those. */
  split(separator: string): Texts {
    const out = Texts.make();
    const step = String.UTF8.byteLength(separator);
    let start = 0;
    for (;;) {
      const at = step ? this.indexOf(separator, start) : -1;
      if (at < 0) break;
      out.push(this.slice(start, at));
      start = at + step;
    }
    out.push(this.slice(start));
    return out;
  }

  /** As JSON writes it, for messages: "a\"b" with its quotes. */
  get quoted(): string {
    const n = <usize>this.length;
    const mark = alloc(n * 6 + 2 + PAD);
    const s = decode(mark, quoteTo(mark, n ? this.at : 0, n));
    shrink(mark, 0);
    return s;
  }

  toString(): string {
    return this.length ? decode(this.at, this.size) : "";
  }
}

/** A list of texts; see Text.words and Text.split. */
@unmanaged
export class Texts {
  at: usize;
  length: i32;
  room: i32;

  static make(): Texts {
    const t = changetype<Texts>(alloc(offsetof<Texts>()));
    t.room = 8;
    t.length = 0;
    t.at = alloc(<usize>t.room * sizeof<usize>());
    return t;
  }

  push(t: Text): void {
    if (this.length == this.room) {
      const size = <usize>this.room * sizeof<usize>();
      const to = alloc(size * 2);
      memory.copy(to, this.at, size);
      this.at = to;
      this.room *= 2;
    }
    store<usize>(this.at + <usize>this.length * sizeof<usize>(), changetype<usize>(t));
    this.length++;
  }

  /** The text at index; absent if there are fewer. */
  @operator("[]")
  get(index: i32): Text {
    if (<u32>index >= <u32>this.length) return changetype<Text>(0);
    return changetype<Text>(load<usize>(this.at + <usize>index * sizeof<usize>()));
  }

  /** All texts with separators between them. */
  join(separator: string): Text {
    const s = Text.of(separator);
    let n: usize = 0;
    for (let i = 0; i < this.length; i++) n += <usize>this.get(i).length + s.size;
    const at = alloc(n + PAD);
    let to = at;
    for (let i = 0; i < this.length; i++) {
      if (i) {
        copy(to, s.at, s.size);
        to += s.size;
      }
      const t = this.get(i);
      if (!t.length) continue;
      copy(to, t.at, t.size);
      to += t.size;
    }
    return make(at, to - at);
  }
}

export function isSpace(c: u8): bool {
  return c == 0x20 || <u32>c - 9 < 5;
}

export function make(at: usize, size: usize): Text {
  const t = changetype<Text>(alloc(offsetof<Text>()));
  t.at = at;
  t.size = <u32>size;
  return t;
}

/** Writes s as UTF-8 to where there is room for three bytes for each character, and returns how many it was. */
export function encode(s: string, to: usize): usize {
  const n = <usize>s.length, from = changetype<usize>(s);
  let i: usize = 0;
  for (; i + 8 <= n; i += 8) {
    const w = v128.load(from + (i << 1));
    if (v128.any_true(v128.and(w, i16x8.splat(<i16>0xff80)))) return String.UTF8.encodeUnsafe(from, <i32>n, to, false, String.UTF8.ErrorMode.REPLACE);
    store<u64>(to + i, i64x2.extract_lane(v128.narrow<i16>(w, w), 0));
  }
  for (; i < n; i++) {
    const c = load<u16>(from + (i << 1));
    if (c >= 0x80) return String.UTF8.encodeUnsafe(from, <i32>n, to, false, String.UTF8.ErrorMode.REPLACE);
    store<u8>(to + i, c);
  }
  return n;
}

export function decode(at: usize, size: usize): string {
  return String.UTF8.decodeUnsafe(at, size);
}

export function equalsString(at: usize, size: usize, s: string): bool {
  const n = <usize>s.length, from = changetype<usize>(s);
  for (let i: usize = 0; i < n; i++) {
    const c = load<u16>(from + (i << 1));
    if (c >= 0x80) {
      const mark = alloc(n * 3);
      const same = encode(s, mark) == size && memory.compare(mark, at, size) == 0;
      shrink(mark, 0);
      return same;
    }
    if (i >= size || load<u8>(at + i) != c) return false;
  }
  return n == size;
}

/** Returns the length of the UTF-8 sequence at p, at least 1, or 0 if it is none. */
function sequence(p: usize, left: usize): usize {
  const c = <u32>load<u8>(p);
  const n: usize = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
  if (n > left) return 0;
  for (let i: usize = 1; i < n; i++) {
    if ((load<u8>(p + i) & 0xc0) != 0x80) return 0;
  }
  if (n > 2) {
    const d = <u32>load<u8>(p, 1);
    if (c == 0xe0 && d < 0xa0 || c == 0xed && d > 0x9f || c == 0xf0 && d < 0x90 || c == 0xf4 && d > 0x8f) return 0;
  }
  return n;
}

const HEX: StaticArray<u8> = [48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 97, 98, 99, 100, 101, 102];

/** Whether the n bytes at p, which may be read in whole vectors, are ASCII that needs no escapes. */
function isPlain(p: usize, n: usize): bool {
  for (let i: usize = 0; i < n; i += 16) {
    const w = v128.load(p + i);
    const special = v128.or(i8x16.eq(w, i8x16.splat(0x22)), i8x16.eq(w, i8x16.splat(0x5c)));
    let m = <u32>i8x16.bitmask(v128.or(special, i8x16.lt_s(w, i8x16.splat(0x20)))); // signed: UTF-8 is below
    if (n - i < 16) m &= (1 << <u32>(n - i)) - 1;
    if (m) return false;
  }
  return true;
}

/** Writes n bytes as a JSON string, at most 6 n + 2 bytes, and returns how many it was. Bytes that are not UTF-8 become U+FFFD. */
export function quoteTo(to: usize, p: usize, n: usize): usize {
  const start = to, end = p + n;
  store<u8>(to++, 0x22);
  if (isPlain(p, n)) {
    memory.copy(to, p, n);
    store<u8>(to + n, 0x22);
    return n + 2;
  }
  while (p < end) {
    const c = load<u8>(p);
    if (c >= 0x80) {
      const length = sequence(p, end - p);
      if (!length) {
        store<u16>(to, 0xbfef);
        store<u8>(to + 2, 0xbd);
        to += 3;
        p++;
        continue;
      }
      for (let i: usize = 0; i < length; i++) store<u8>(to++, load<u8>(p++));
      continue;
    }
    p++;
    if (c >= 0x20 && c != 0x22 && c != 0x5c) {
      store<u8>(to++, c);
      continue;
    }
    store<u8>(to++, 0x5c);
    switch (c) {
      case 0x0a: store<u8>(to++, 0x6e); break;
      case 0x0d: store<u8>(to++, 0x72); break;
      case 0x09: store<u8>(to++, 0x74); break;
      case 0x22: case 0x5c: store<u8>(to++, c); break;
      default:
        store<u32>(to, 0x30303075); // u000
        store<u8>(to + 3, HEX[c >> 4]);
        store<u8>(to + 4, HEX[c & 15]);
        store<u8>(to + 2, 0x30);
        to += 5;
    }
  }
  store<u8>(to++, 0x22);
  return to - start;
}

function hex4(p: usize, end: usize): u32 {
  if (p + 4 > end) return 0xfffd;
  let r: u32 = 0;
  for (let i: usize = 0; i < 4; i++) {
    let c = <u32>load<u8>(p + i);
    if (c - 0x30 <= 9) c -= 0x30;
    else if ((c | 0x20) - 0x61 <= 5) c = (c | 0x20) - 0x61 + 10;
    else return 0xfffd;
    r = r << 4 | c;
  }
  return r;
}

/** Writes the text of a JSON string, given without its quotes, and returns its length, at most end - p. */
export function unescape(to: usize, p: usize, end: usize): usize {
  const start = to;
  while (p < end) {
    let c = load<u8>(p++);
    if (c != 0x5c || p == end) {
      store<u8>(to++, c);
      continue;
    }
    c = load<u8>(p++);
    switch (c) {
      case 0x62: c = 0x08; break;
      case 0x66: c = 0x0c; break;
      case 0x6e: c = 0x0a; break;
      case 0x72: c = 0x0d; break;
      case 0x74: c = 0x09; break;
      case 0x75: {
        let r = hex4(p, end);
        p = end - p < 4 ? end : p + 4;
        if (r >= 0xd800 && r < 0xdc00 && end - p >= 6 && load<u16>(p) == 0x755c) {
          const low = hex4(p + 2, end);
          if (low >= 0xdc00 && low < 0xe000) {
            r = 0x10000 + (r - 0xd800 << 10) + (low - 0xdc00);
            p += 6;
          }
        }
        if (r >= 0xd800 && r < 0xe000) r = 0xfffd; // a surrogate without a partner
        to = rune(to, r);
        continue;
      }
    }
    store<u8>(to++, c);
  }
  return to - start;
}

function rune(to: usize, r: u32): usize {
  if (r < 0x80) {
    store<u8>(to++, <u8>r);
    return to;
  }
  if (r < 0x800) {
    store<u8>(to++, <u8>(0xc0 | r >> 6));
  } else {
    if (r < 0x10000) {
      store<u8>(to++, <u8>(0xe0 | r >> 12));
    } else {
      store<u8>(to++, <u8>(0xf0 | r >> 18));
      store<u8>(to++, <u8>(0x80 | (r >> 12 & 63)));
    }
    store<u8>(to++, <u8>(0x80 | (r >> 6 & 63)));
  }
  store<u8>(to++, <u8>(0x80 | (r & 63)));
  return to;
}
