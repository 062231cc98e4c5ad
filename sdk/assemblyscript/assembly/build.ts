import { keep } from "./document";
import { Buffer } from "./memory";
import { decode, encode, make, quoteTo, Text } from "./text";

// JSON that is being built.

export function addString(b: Buffer, s: string): void {
  b.length += encode(s, b.reserve(<usize>s.length * 3));
}

export function addText(b: Buffer, t: Text): void {
  if (t.length) b.append(t.at, t.size);
}

export function addQuoted(b: Buffer, t: Text): void {
  const n = <usize>t.length;
  b.length += quoteTo(b.reserve(n * 6 + 2), n ? t.at : 0, n);
}

/** Adds a comma unless it ends with an opening bracket. */
export function separate(b: Buffer): void {
  const last = b.length ? load<u8>(b.at + b.length - 1) : 0;
  if (last != 0x7b && last != 0x5b) b.byte(0x2c);
}

/** Returns what was built, where it lives as long as the object. */
export function built(b: Buffer): Text {
  return make(keep(b.at, b.length), b.length);
}

/** As JSON writes a string, for messages. */
export function quoted(s: string): string {
  const to = heap.alloc(<usize>s.length * 21 + 16), plain = to + <usize>s.length * 18 + 8;
  const json = decode(to, quoteTo(to, plain, encode(s, plain)));
  heap.free(to);
  return json;
}
