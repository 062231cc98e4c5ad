import { fail } from "./document";
import { Text } from "./text";
import { Value } from "./value";

/**
 * Replaces the string at key by the integer that it has in decimal digits: "80" by 80. Says whether the string was there. A string that
 * is not an integer as JSON has it refuses the object ("080", "+1" and "-0" are not, because stringFromInt would not restore them).
 * Integers of any size keep their digits.
 */
export function intFromString(v: Value, key: string): bool {
  const text = v.text(key);
  if (!text.exists) return false;
  if (!isInteger(text)) {
    fail(v.home, `${v.location(key)} must be an integer, but is ${text.quoted}`);
    return false;
  }
  v.setRaw(key, text);
  return true;
}

/** The inverse: replaces the integer at key by a string. A number with a fraction or an exponent refuses the object. */
export function stringFromInt(v: Value, key: string): bool {
  const text = v.raw(key);
  if (isInteger(text)) {
    v.setText(key, text);
    return true;
  }
  if (text.length > 0 && (text.byteAt(0) == 0x2d || isDigit(text.byteAt(0)))) {
    fail(v.home, `${v.location(key)} must be an integer, but is ${text.toString()}`);
  } else {
    v.int(key); // absent, null, or of another type
  }
  return false;
}

/** Says whether a text is an integer in its only spelling. */
function isInteger(text: Text): bool {
  const n = text.length;
  let i = n > 1 && text.byteAt(0) == 0x2d && text.byteAt(1) != 0x30 ? 1 : 0;
  if (i == n || (text.byteAt(i) == 0x30 && n > 1)) return false;
  for (; i < n; i++) if (!isDigit(text.byteAt(i))) return false;
  return true;
}

function isDigit(byte: u8): bool {
  return byte >= 0x30 && byte <= 0x39;
}
