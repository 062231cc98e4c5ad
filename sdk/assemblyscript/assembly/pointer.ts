import { addString, addText, built, quoted } from "./build";
import { finish, kindOf } from "./document";
import { put } from "./edit";
import { Buffer } from "./memory";
import { Text } from "./text";
import { Type, Value } from "./value";

// JSON Pointers (RFC 6901), which name values in the stash (docs/spec/stash.md).

const nothing = changetype<Value>(0);

/** Returns the pointer to v. A list element keeps its original index even if elements before it
 * were removed. */
export function pointerTo(v: Value): string {
  let pointer = "";
  let a: Value | null = v;
  while (a) {
    const parent = a.parent;
    if (!parent) break;
    if (kindOf(parent) == 0x7b) {
      pointer = token(a.name.toString()) + pointer;
    } else {
      let index = 0, c = parent.first;
      while (c && c != a) {
        index++;
        c = c.next;
      }
      pointer = "/" + index.toString() + pointer;
    }
    a = parent;
  }
  return pointer;
}

/** Returns a slash and the key, as it is written in a pointer. */
export function token(key: string): string {
  return "/" + key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Returns where the first key of a pointer ends; 0 if it is none. */
function tokenEnd(pointer: string): i32 {
  if (!pointer.startsWith("/")) return 0;
  const end = pointer.indexOf("/", 1);
  return end < 0 ? pointer.length : end;
}

/** Whether it is a pointer with a key. */
export function isPointer(pointer: string): bool {
  return tokenEnd(pointer) > 0;
}

export function firstKey(pointer: string): string {
  return pointer.substring(1, tokenEnd(pointer)).replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Reports whether a value at the pointer may be restored. */
export function restorable(pointer: string): bool {
  if (!isPointer(pointer)) return false;
  const first = firstKey(pointer);
  return first != "apiVersion" && first != "kind" && first != "metadata";
}

/** Returns the number of an element, if a key may be meant as one; otherwise -1. */
function index(key: string): i32 {
  if (key.length == 0 || key.length > 9 || key.length > 1 && key.startsWith("0")) return -1;
  for (let i = 0; i < key.length; i++) {
    if (key.charCodeAt(i) < 0x30 || key.charCodeAt(i) > 0x39) return -1;
  }
  return I32.parseInt(key);
}

/** Returns the member or element with that key, null or not; absent if there is none. */
export function step(v: Value, key: string): Value {
  if (v.type == Type.Object) return v.member(key);
  const i = v.type == Type.Array ? index(key) : -1;
  if (i < 0) return nothing;
  let e = v.firstChild;
  for (let n = 0; e.isThere && n < i; n++) e = e.nextChild;
  return e;
}

/** Returns what a pointer leads to from v. */
export function at(v: Value, pointer: string): Value {
  while (pointer.length && v.isThere) {
    const end = tokenEnd(pointer);
    if (!end) return nothing;
    v = step(v, firstKey(pointer));
    pointer = pointer.substring(end);
  }
  return v;
}

const nested = Buffer.make();

/** Puts JSON where a pointer leads, and says whether that could be done: objects on the way are made, elements of lists are not. */
export function setAt(v: Value, pointer: string, json: Text): bool {
  for (;;) {
    const end = tokenEnd(pointer);
    if (!end) return false;
    const key = firstKey(pointer), there = step(v, key);
    pointer = pointer.substring(end);
    if (there.exists && pointer.length) {
      v = there;
      continue;
    }
    if (!there.isThere && v.type != Type.Object) return false;
    nested.length = 0;
    let depth = 0;
    while (pointer.length) {
      const end = tokenEnd(pointer);
      if (!end || index(firstKey(pointer)) >= 0) return false;
      addString(nested, "{" + quoted(firstKey(pointer)) + ":");
      pointer = pointer.substring(end);
      depth++;
    }
    addText(nested, json);
    for (; depth > 0; depth--) nested.byte(0x7d);
    const value = built(nested);
    if (there.isThere) return put(there, null, value);
    finish(v); // a member can be added only where all are listed
    return put(v, key, value);
  }
  return false;
}
