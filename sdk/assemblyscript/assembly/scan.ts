// Reads JSON in vectors of 16 bytes. The text is trusted to be valid, which the gateway has made sure of; on anything else these
// return 0 or a wrong position, but never one beyond end. All of it may read PAD bytes beyond end.

const QUOTE: u8 = 0x22;
const SLASH: u8 = 0x5c;

// @ts-ignore: decorator
@inline
export function skipSpace(p: usize, end: usize): usize {
  while (p < end && load<u8>(p) <= 0x20) p++;
  return p;
}

/** Whether the string that stringEnd read last has escapes. */
export let escapes = false;

/** Returns the end of the string whose first character is at p, behind its quote, or 0. */
export function stringEnd(p: usize, end: usize): usize {
  escapes = false;
  while (p < end) {
    const w = v128.load(p);
    const m = i8x16.bitmask(v128.or(i8x16.eq(w, i8x16.splat(QUOTE)), i8x16.eq(w, i8x16.splat(SLASH))));
    if (!m) {
      p += 16;
      continue;
    }
    p += ctz(m);
    if (p >= end) break;
    if (load<u8>(p) == QUOTE) return p + 1;
    escapes = true;
    p += 2;
  }
  return 0;
}

// @ts-ignore: decorator
@inline
function bits(w: v128, c: u8): u64 {
  return <u64>(<u32>i8x16.bitmask(i8x16.eq(w, i8x16.splat(c))));
}

/** Returns the end of the object or array that begins at p, or 0. It takes 64 bytes in a turn, one bit for each. */
export function containerEnd(p: usize, end: usize): usize {
  let inside: u64 = 0; // all ones if p is inside a string
  let escape: u64 = 0; // 1 if the byte at p is escaped
  let depth: u32 = 0;
  const fold = i8x16.splat(0x20); // '[' becomes '{', ']' becomes '}'
  for (; p < end; p += 64) {
    const a = v128.load(p), b = v128.load(p, 16), c = v128.load(p, 32), d = v128.load(p, 48);
    let q = bits(a, QUOTE) | bits(b, QUOTE) << 16 | bits(c, QUOTE) << 32 | bits(d, QUOTE) << 48;
    let slashes = bits(a, SLASH) | bits(b, SLASH) << 16 | bits(c, SLASH) << 32 | bits(d, SLASH) << 48;
    let escaped = escape;
    escape = 0;
    slashes &= ~escaped;
    while (slashes) {
      const bit = slashes & (0 - slashes);
      escaped |= bit << 1;
      escape |= bit >> 63;
      slashes &= ~(bit | bit << 1); // an escaped backslash escapes nothing
    }
    // A byte is inside a string if the number of quotes up to it, and before this block, is odd.
    q &= ~escaped;
    q ^= q << 1;
    q ^= q << 2;
    q ^= q << 4;
    q ^= q << 8;
    q ^= q << 16;
    q ^= q << 32;
    q ^= inside;
    inside = 0 - (q >> 63);
    const e = v128.or(a, fold), f = v128.or(b, fold), g = v128.or(c, fold), h = v128.or(d, fold);
    const opens = (bits(e, 0x7b) | bits(f, 0x7b) << 16 | bits(g, 0x7b) << 32 | bits(h, 0x7b) << 48) & ~q;
    const closes = (bits(e, 0x7d) | bits(f, 0x7d) << 16 | bits(g, 0x7d) << 32 | bits(h, 0x7d) << 48) & ~q;
    const closing = <u32>popcnt(closes);
    if (closing < depth) {
      depth += <u32>popcnt(opens) - closing;
      continue;
    }
    // The end may be in here: go from bracket to bracket.
    for (let m = opens | closes; m; m &= m - 1) {
      if (opens & m & (0 - m)) {
        depth++;
      } else if (--depth == 0) {
        p += <usize>ctz(m) + 1;
        return p <= end ? p : 0;
      }
    }
  }
  return 0;
}

/** Returns the end of the value that begins at p, or 0. */
export function valueEnd(p: usize, end: usize): usize {
  if (p >= end) return 0;
  const c = load<u8>(p);
  if (c == QUOTE) return stringEnd(p + 1, end);
  if ((c | 0x20) == 0x7b) return containerEnd(p, end);
  const start = p;
  for (; p < end; p++) {
    const c = load<u8>(p);
    if (c == 0x2c || (c | 0x20) == 0x7d || c <= 0x20) break;
  }
  return p > start ? p : 0;
}
