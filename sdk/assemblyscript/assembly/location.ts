import { GONE, kindOf } from "./document";
import { Value } from "./value";

/** Says where the member key of v is, as messages name it: ".spec.list[0].name". */
export function location(v: Value | null, key: string | null): string {
  let out = key !== null ? keyStep(key) : "";
  let a = v;
  while (a) {
    const parent = a.parent;
    if (!parent) break;
    if (kindOf(parent) == 0x7b) {
      out = keyStep(a.name.toString()) + out;
      a = parent;
      continue;
    }
    let index = 0;
    let c = parent.first;
    while (c && c != a) {
      if (!(c.flags & GONE)) index++;
      c = c.next;
    }
    out = "[" + index.toString() + "]" + out;
    a = parent;
  }
  return out.length ? out : "the object";
}

/** Returns ".key", or "['key']" if key is not a plain word. */
function keyStep(key: string): string {
  let plain = key.length > 0;
  for (let i = 0; i < key.length; i++) {
    const c = key.charCodeAt(i);
    const letter = (c | 0x20) >= 0x61 && (c | 0x20) <= 0x7a || c == 0x5f;
    if (!letter && (i == 0 || c != 0x2d && (c < 0x30 || c > 0x39))) plain = false;
  }
  return plain ? "." + key : "['" + key + "']";
}
