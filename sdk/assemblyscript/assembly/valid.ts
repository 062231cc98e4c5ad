import { alloc, shrink } from "./memory";

// Strict checks, for JSON that comes from the author's code; the gateway has already checked the
// objects. All functions return the end of what they check, or 0.

/** How deep JSON may be nested: the gateway refuses what is deeper. */
const DEPTH = 1000;

export function skipBlank(p: usize, end: usize): usize {
  for (; p < end; p++) {
    const c = load<u8>(p);
    if (c != 0x20 && c != 0x09 && c != 0x0a && c != 0x0d) break;
  }
  return p;
}

function digits(p: usize, end: usize): usize {
  const start = p;
  while (p < end && <u32>load<u8>(p) - 0x30 <= 9) p++;
  return p > start ? p : 0;
}

function validNumber(p: usize, end: usize): usize {
  if (p < end && load<u8>(p) == 0x2d) p++;
  if (p < end && load<u8>(p) == 0x30) {
    p++;
  } else {
    p = digits(p, end);
    if (!p) return 0;
  }
  if (p < end && load<u8>(p) == 0x2e) {
    p = digits(p + 1, end);
    if (!p) return 0;
  }
  if (p < end && (load<u8>(p) | 0x20) == 0x65) {
    p++;
    if (p < end && (load<u8>(p) == 0x2b || load<u8>(p) == 0x2d)) p++;
    return digits(p, end);
  }
  return p;
}

function validString(p: usize, end: usize): usize {
  for (p++; p < end; p++) {
    let c = load<u8>(p);
    if (c == 0x22) return p + 1;
    if (c < 0x20) return 0;
    if (c != 0x5c) continue;
    if (++p >= end) return 0;
    c = load<u8>(p);
    if (c == 0x75) {
      if (end - p <= 4) return 0;
      for (let i = 0; i < 4; i++) {
        const h = <u32>load<u8>(++p);
        if (h - 0x30 > 9 && (h | 0x20) - 0x61 > 5) return 0;
      }
    } else if (c != 0x22 && c != 0x5c && c != 0x2f && c != 0x62 && c != 0x66 && c != 0x6e && c != 0x72 && c != 0x74) {
      return 0;
    }
  }
  return 0;
}

function validScalar(p: usize, end: usize): usize {
  if (p >= end) return 0;
  const c = load<u8>(p);
  if (c == 0x22) return validString(p, end);
  if (c == 0x74) return end - p >= 4 && load<u32>(p) == 0x65757274 ? p + 4 : 0; // true
  if (c == 0x66) return end - p >= 5 && load<u32>(p, 1) == 0x65736c61 ? p + 5 : 0; // false
  if (c == 0x6e) return end - p >= 4 && load<u32>(p) == 0x6c6c756e ? p + 4 : 0; // null
  return validNumber(p, end);
}

/** Says that the text is one JSON value, with nothing but blanks around it. */
export function valid(p: usize, end: usize): bool {
  const objects = alloc(DEPTH); // a byte for each level: it is an object
  const good = check(p, end, objects);
  shrink(objects, 0);
  return good;
}

function check(p: usize, end: usize, objects: usize): bool {
  let depth: usize = 0, object = false, valueNext = true;
  p = skipBlank(p, end);
  for (;;) {
    if (valueNext && p < end && (load<u8>(p) | 0x20) == 0x7b) {
      if (depth == DEPTH) return false;
      object = load<u8>(p) == 0x7b;
      store<bool>(objects + depth++, object);
      p = skipBlank(p + 1, end);
      valueNext = !(p < end && load<u8>(p) == <u8>(object ? 0x7d : 0x5d));
    } else if (valueNext) {
      p = validScalar(p, end);
      if (!p) return false;
      p = skipBlank(p, end);
      valueNext = false;
    } else if (!depth) {
      return p == end;
    } else if (p < end && load<u8>(p) == 0x2c) {
      p = skipBlank(p + 1, end);
      valueNext = true;
    } else if (p < end && load<u8>(p) == <u8>(object ? 0x7d : 0x5d)) {
      depth--;
      object = depth > 0 && load<bool>(objects + depth - 1);
      p = skipBlank(p + 1, end);
      continue;
    } else {
      return false;
    }
    if (valueNext && depth && object) { // a key comes first
      if (p >= end || load<u8>(p) != 0x22) return false;
      p = validString(p, end);
      if (!p) return false;
      p = skipBlank(p, end);
      if (p >= end || load<u8>(p) != 0x3a) return false;
      p = skipBlank(p + 1, end);
    }
  }
  return false;
}
