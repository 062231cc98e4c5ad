import {
  current, EDITED, ENTERED, enter, ESCAPED, fail, find, finish, GONE, keep, kindOf, LOOSE, newValue,
} from "./document";
import { location } from "./location";
import { alloc, PAD, shrink } from "./memory";
import { encode, make as makeText, quoteTo, Text } from "./text";
import { skipBlank, valid } from "./valid";
import { Type, typeName, Value } from "./value";

// Edits never change the text. New keys and values are put in the arena, values are marked, and so is what encloses them.

/** A JSON text with nothing to quote. */
export function literal(s: string): Text {
  return Text.of(s);
}

export function quotedString(s: string): Text {
  const n = <usize>s.length * 3;
  const plain = alloc(n + PAD);
  return quotedBytes(plain, encode(s, plain));
}

export function quotedBytes(at: usize, size: usize): Text {
  const to = alloc(size * 6 + 2 + PAD);
  const used = quoteTo(to, at, size);
  shrink(to, used + PAD);
  return makeText(to, used);
}

function touch(v: Value | null): void {
  while (v && !(v.flags & EDITED)) {
    v.flags |= EDITED;
    if (v.flags & GONE) return;
    v = v.parent;
  }
}

function changed(v: Value): void {
  if (!(v.flags & GONE)) touch(v.parent);
}

/** Gives v another text. */
export function replace(v: Value, text: Text): void {
  finish(v);
  let c = v.first;
  while (c) {
    c.flags |= GONE; // edits of them must not reach what v will be
    c = c.next;
  }
  v.at = text.at;
  v.end = text.at + text.size;
  v.first = v.last = v.found = null;
  v.flags = v.flags & ~(ENTERED | EDITED) | LOOSE;
  changed(v);
}

function setKey(v: Value, key: string): void {
  const text = quotedString(key);
  v.key = text.at;
  v.keySize = text.size;
  v.flags = v.flags & ~ESCAPED | LOOSE;
  for (let i = 1; i < text.length - 1; i++) {
    if (text.byteAt(i) == 0x5c) v.flags |= ESCAPED;
  }
}

/** Adds a member, or without a key an element, to n, all of whose children are listed. */
function insert(n: Value, key: string | null, text: Text): Value {
  const c = newValue(n.home, n, text.at, text.at + text.size);
  if (key !== null) setKey(c, key);
  c.flags |= LOOSE;
  touch(n);
  return c;
}

function unsettable(v: Value | null, key: string | null, why: string): void {
  if (!v) {
    fail(current, key !== null ? location(null, key) + " cannot be set" + (why.length ? ": " + why : " in a value that is absent")
      : "a value that is absent cannot be set");
    return;
  }
  fail(v.home, location(v, key) + " cannot be set: " + (why.length ? why : location(v, null) + " is " + typeName(v.type) + ", not an object"));
}

/** Makes text, which lives as long as the object, the value at key of v; false if it cannot be. */
export function put(v: Value | null, key: string | null, text: Text): bool {
  if (!v) {
    unsettable(v, key, "");
    return false;
  }
  if (key === null) {
    replace(v, text);
    return true;
  }
  if (v.type == Type.Null) {
    replace(v, literal("{}"));
  } else if (v.type != Type.Object) {
    unsettable(v, key, "");
    return false;
  }
  const c = find(v, key);
  if (c) replace(c, text);
  else insert(v, key, text);
  return true;
}

/** Checks JSON and copies it to where it lives as long as the object; null if it is none. */
export function checked(v: Value | null, key: string | null, json: Text): Text | null {
  let from = skipBlank(json.at, json.at + json.size), end = json.at + json.size;
  while (end > from && skipBlank(end - 1, end) == end) end--;
  if (!valid(from, end)) {
    unsettable(v, key, "the new value is not valid JSON");
    return null;
  }
  return makeText(keep(from, end - from), end - from);
}

/** Makes text the last element of the array at key of v. */
export function append(v: Value | null, key: string | null, text: Text): void {
  let list = key !== null ? find(v, key) : v;
  const type = list ? list.type : Type.Absent;
  if (type == Type.Absent || type == Type.Null) {
    if (key !== null && v && v.type > Type.Null && v.type != Type.Object) {
      wrong(v, "an object");
      return;
    }
    if (!put(v, key, literal("[]"))) return;
    list = key !== null ? find(v, key) : v;
  } else if (type != Type.Array && list) {
    wrong(list, "an array");
    return;
  }
  if (!list) return; // the text is not JSON
  enter(list);
  finish(list);
  insert(list, null, text);
}

/** Returns the object at key, made if it is absent or null; null if it is something else. */
export function makeObject(v: Value | null, key: string | null): Value | null {
  const c = key !== null ? find(v, key) : v;
  if (c && c.type == Type.Object) return c;
  if (c && c.type > Type.Null) {
    wrong(c, "an object");
    return null;
  }
  if (!put(v, key, literal("{}"))) return null;
  return key !== null ? find(v, key) : v;
}

/** Refuses the object because v is of another type than wanted. */
export function wrong(v: Value, want: string): void {
  fail(v.home, location(v, null) + " must be " + want + ", but is " + typeName(v.type));
}

/** Returns the member at key of v, null or not; null if there is none. If v is no object, the object is refused. */
function target(v: Value | null, key: string | null): Value | null {
  if (!v || v.type == Type.Absent || key !== null && v.type == Type.Null) return null;
  if (key === null) return v;
  if (v.type != Type.Object) {
    wrong(v, "an object");
    return null;
  }
  return find(v, key);
}

function cannot(v: Value, what: string, taken: Value | null): void {
  fail(v.home, location(v, null) + what + (taken ? location(taken, null) + " is there already" : ""));
}

function detach(v: Value): void {
  finish(v);
  changed(v);
  v.flags |= GONE;
}

export function remove(within: Value | null, key: string | null): bool {
  const v = target(within, key);
  if (!v) return false;
  if (!v.parent) {
    cannot(v, " as a whole cannot be deleted", null);
    return false;
  }
  detach(v);
  return true;
}

export function rename(within: Value | null, key: string | null, newKey: string): bool {
  const v = target(within, key);
  if (!v) return false;
  const parent = v.parent;
  if (!parent || kindOf(parent) != 0x7b) {
    cannot(v, " cannot be renamed: it is not a member of an object", null);
    return false;
  }
  const taken = find(parent, newKey);
  if (taken == v) return true;
  if (taken) {
    cannot(v, " cannot be renamed: ", taken);
    return false;
  }
  setKey(v, newKey);
  changed(v);
  return true;
}

export function move(within: Value | null, key: string | null, to: Value | null, newKey: string): bool {
  const c = target(within, key);
  if (!c) return false;
  if (!c.parent || !to || to.type != Type.Object || to.home != c.home) {
    cannot(c, " cannot be moved there", null);
    return false;
  }
  let a: Value | null = to;
  while (a) {
    if (a == c) {
      cannot(c, " cannot be moved into itself", null);
      return false;
    }
    a = a.parent;
  }
  const taken = find(to, newKey);
  if (taken == c) return true;
  if (taken && kindOf(taken) != 0x6e) {
    cannot(c, " cannot be moved: ", taken);
    return false;
  }
  detach(c);
  if (taken) detach(taken);
  finish(to); // a member can be added only where all are listed
  const m = insert(to, newKey, makeText(c.at, c.end - c.at));
  m.first = c.first;
  m.last = c.last;
  m.flags |= c.flags & (ENTERED | EDITED);
  let g = m.first;
  while (g) {
    g.parent = m;
    g = g.next;
  }
  return true;
}
