import { quoted } from "./build";
import { fail } from "./document";
import { Buffer } from "./memory";
import { addQuoted, built, separate } from "./build";
import { put } from "./edit";
import { Text, Texts } from "./text";
import { Type, typeName, Value } from "./value";

const list = Buffer.make();

/**
 * Takes the string at key of v apart at every separator and puts the parts at the keys to, of which there must be as many as
 * parts: a host and a port of "host:port". The string is removed. Says whether it was there. Another number of parts refuses the
 * object, and so does a value that is at one of the keys already.
 */
export function split(v: Value, key: string, separator: string, to: string[]): bool {
  return splitAt(v, key, separator, to, false);
}

/**
 * Cuts the string at key at the last separators only, so that the first part may contain separators: "registry:5000/shop:1.2" at ":"
 * to "registry:5000/shop" and "1.2". Otherwise it is like split. Fewer parts than keys refuse the object.
 */
export function splitLast(v: Value, key: string, separator: string, to: string[]): bool {
  return splitAt(v, key, separator, to, true);
}

function splitAt(v: Value, key: string, separator: string, to: string[], last: bool): bool {
  const text = v.text(key);
  if (!text.exists) return false;
  const parts = partsOf(text, separator, to.length, last);
  if (parts.length != to.length) {
    fail(v.home, `${v.location(key)} must have ${to.length} parts separated by ${quoted(separator)}, but ${text.quoted} has ${parts.length}`);
    return false;
  }
  v.remove(key);
  for (let i = 0; i < to.length; i++) {
    if (!vacant(v, to[i], key, "split")) return false;
    v.setText(to[i], parts[i]);
  }
  return true;
}

/**
 * The opposite of split: puts the strings at the keys from together, and the result at key; the parts are removed. If any of them
 * is absent, nothing is done and false returned, as in a fragment: what to do about some of the parts is the converter's to say. A
 * part that contains the separator refuses the object, and so does a value that is at key already.
 */
export function join(v: Value, key: string, separator: string, from: string[]): bool {
  return joinAt(v, key, separator, from, false);
}

/** The inverse of splitLast: like join, but the first part may contain the separator. */
export function joinLast(v: Value, key: string, separator: string, from: string[]): bool {
  return joinAt(v, key, separator, from, true);
}

function joinAt(v: Value, key: string, separator: string, from: string[], last: bool): bool {
  const parts = Texts.make();
  for (let i = 0; i < from.length; i++) {
    const part = v.text(from[i]);
    if (!part.exists) continue;
    if (!(last && i == 0) && part.split(separator).length > 1) {
      fail(v.home, `${v.location(from[i])} must not contain ${quoted(separator)}, but is ${part.quoted}`);
      return false;
    }
    parts.push(part);
  }
  if (from.length == 0 || parts.length < from.length || v.refused) return false;
  for (let i = 0; i < from.length; i++) v.remove(from[i]);
  const joined = parts.join(separator);
  if (!vacant(v, key, from[0], "joined") || !reversible(v, joined, separator, parts, from[0], last)) return false;
  v.setText(key, joined);
  return true;
}

/** Makes a list of strings of the string at key, cut at every separator; of the empty string, an empty list. Says whether it was there. */
export function splitList(v: Value, key: string, separator: string): bool {
  const text = v.text(key);
  if (!text.exists) return false;
  list.length = 0;
  list.byte(0x5b);
  const parts = text.split(separator);
  for (let i = 0; text.length && i < parts.length; i++) {
    separate(list);
    addQuoted(list, parts[i]);
  }
  list.byte(0x5d);
  put(v, key, built(list));
  return true;
}

/**
 * Makes one string of the list of strings at key. Says whether the list was there. An element that contains the separator refuses
 * the object, and so does a list of one empty string, as an empty list joins to the same.
 */
export function joinList(v: Value, key: string, separator: string): bool {
  const from = v.list(key);
  if (!from.isThere) return false;
  const parts = Texts.make();
  for (let e = from.firstChild; e.isThere; e = e.nextChild) {
    if (e.type != Type.String) {
      fail(v.home, `${e.location()} must be a string, but is ${typeName(e.type)}`);
      return false;
    }
    const part = e.text();
    if (part.split(separator).length > 1) {
      fail(v.home, `${e.location()} must not contain ${quoted(separator)}, but is ${part.quoted}`);
      return false;
    }
    parts.push(part);
  }
  const joined = parts.join(separator);
  if (parts.length == 1 && joined.length == 0) {
    fail(v.home, `${from.location()} must not be a list of one empty string`);
    return false;
  }
  if (parts.length > 0 && !reversible(v, joined, separator, parts, key)) return false;
  v.setText(key, joined);
  return true;
}

/** Says that nothing, or null, is at key, and refuses the object otherwise: something would be lost. */
function vacant(v: Value, key: string, from: string, verb: string): bool {
  if (!v.has(key)) return true;
  fail(v.home, `${v.location(from)} cannot be ${verb}: ${v.location(key)} is there already`);
  return false;
}

/** Says that joined, when it is cut again, gives the parts: parts like "a:" with "::" between them do not. */
function reversible(v: Value, joined: Text, separator: string, parts: Texts, key: string, last: bool = false): bool {
  const again = partsOf(joined, separator, parts.length, last);
  let same = again.length == parts.length;
  for (let i = 0; same && i < parts.length; i++) same = again[i].same(parts[i]);
  if (same || separator == "") return true;
  fail(v.home, `${v.location(key)} cannot be joined with ${quoted(separator)}: ${joined.quoted} would be taken apart otherwise`);
  return false;
}

/** Cuts text at every separator, or at the last ones only, so that there are at most count parts. */
function partsOf(text: Text, separator: string, count: i32, last: bool): Texts {
  const parts = text.split(separator), more = parts.length - count;
  if (!last || count == 0 || more <= 0) return parts;
  const first = Texts.make(), few = Texts.make();
  for (let i = 0; i <= more; i++) first.push(parts[i]);
  few.push(first.join(separator));
  for (let i = more + 1; i < parts.length; i++) few.push(parts[i]);
  return few;
}
