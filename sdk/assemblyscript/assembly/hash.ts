import { finish, kindOf } from "./document";
import { Buffer } from "./memory";
import { addServedNumber, power } from "./number";
import { Text } from "./text";
import { Type, Value } from "./value";

// The hash of the stash (docs/spec/stash.md): 64 bits of a JSON value. It does not depend on the order
// of members, white space, escapes or the spelling of numbers, because an API server may change all
// of these. It detects changes and is not a security measure.

const BASIS: u64 = 0xcbf29ce484222325;

// @ts-ignore: decorator
@inline
export function addByte(h: u64, b: u8): u64 {
  return (h ^ b) * 0x100000001b3; // FNV-1a
}

export function addBytes(h: u64, at: usize, n: usize): u64 {
  for (let i: usize = 0; i < n; i++) h = addByte(h, load<u8>(at + i));
  return h;
}

/** Adds the eight bytes of w, the lowest first. */
export function addWord(h: u64, w: u64): u64 {
  for (let i = 0; i < 8; i++) {
    h = addByte(h, <u8>w);
    w >>= 8;
  }
  return h;
}

export function begin(kind: u8): u64 {
  return addByte(BASIS, kind);
}

/** Spreads every bit over the whole result: members are added up, for which FNV alone is too regular. */
export function sum(h: u64): u64 {
  h = (h ^ h >> 33) * 0xff51afd7ed558ccd;
  h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53;
  return h ^ h >> 33;
}

/** Returns the hash of v; what is absent is null. */
export function hash(v: Value): u64 {
  switch (v.type) {
    case Type.Object: return hashMembers(v, false);
    case Type.Array: {
      let h = begin(0x61);
      for (let e = v.firstChild; e.isThere; e = e.nextChild) h = addWord(h, hash(e));
      return sum(h);
    }
    case Type.String: {
      const t = v.text();
      return sum(addBytes(begin(0x73), t.length ? t.at : 0, <usize>t.length));
    }
    case Type.Number: {
      finish(v);
      return sum(hashNumber(v.at, v.end));
    }
    case Type.Bool: return sum(begin(kindOf(v)));
  }
  return sum(begin(0x6e));
}

/** Returns the hash of the object v, or of all in it but apiVersion, kind, metadata and status. */
export function hashMembers(v: Value, contentOnly: bool): u64 {
  let members: u64 = 0;
  for (let m = v.firstChild; m.isThere; m = m.nextChild) {
    if (!m.exists) continue;
    const key = m.name;
    if (contentOnly && isEnvelope(key)) continue;
    members += sum(addBytes(addWord(begin(0x6d), hash(m)), key.length ? key.at : 0, <usize>key.length));
  }
  return sum(addWord(begin(0x6f), members));
}

function isEnvelope(key: Text): bool {
  return key.equals("apiVersion") || key.equals("kind") || key.equals("metadata") || key.equals("status");
}

const sent = Buffer.make();

/**
 * The normal form of the number as an API server writes it: "0", or the significant digits, "e" and the power of ten, so that 1000,
 * 1e3 and 1000.0 are alike.
 */
function hashNumber(from: usize, to: usize): u64 {
  sent.length = 0;
  addServedNumber(sent, from, to);
  let p = sent.at;
  const end = p + sent.length;
  let h = begin(0x64);
  const negative = load<u8>(p) == 0x2d;
  if (negative) p++;
  let digits = "", zeros = 0, exponent: i64 = 0, fraction = false;
  for (; p < end; p++) {
    const c = load<u8>(p);
    if ((c | 0x20) == 0x65) {
      exponent += power(p + 1, end);
      break;
    }
    if (c == 0x2e) {
      fraction = true;
      continue;
    }
    if (fraction) exponent--;
    if (c == 0x30) {
      if (digits.length) zeros++;
      continue;
    }
    for (; zeros > 0; zeros--) digits += "0";
    digits += String.fromCharCode(c);
  }
  exponent += zeros;
  const text = Text.of(digits.length ? (negative ? "-" : "") + digits + "e" + exponent.toString() : "0");
  return addBytes(h, text.at, text.size);
}
